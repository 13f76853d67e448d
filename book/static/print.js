/* Paper is white: a page that is read in the dark is printed as by day. */
{
  const page = document.documentElement;
  let theme = null;
  addEventListener("beforeprint", () => {
    theme = page.dataset.theme;
    page.dataset.theme = "light";
  });
  addEventListener("afterprint", () => {
    if (theme !== null) page.dataset.theme = theme;
    theme = null;
  });
}
