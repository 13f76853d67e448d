"""Arithmetic on 64 float32 or 8 int32 numbers at once, for kernels that keep their sums in registers.

numba's own loops write a sum to memory after every product, because they cannot assume that two arrays do not overlap.
Here a kernel says which numbers it keeps. Every number is rounded as in a loop over single numbers, on every
processor: the width of its registers does not change the results.

An array here is C-contiguous, of type float32 or int32 and of any shape; a place is an index into the flattened array.
Nothing is checked: all 64 or 8 numbers must lie within the array.
"""

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, register_model

LANES, WHOLE = 64, 8
BIT, WORD = ir.IntType(1), ir.IntType(64)
VECTOR, NUMBERS = ir.VectorType(ir.FloatType(), LANES), ir.VectorType(ir.IntType(32), WHOLE)


class Lanes(types.Type):
    """numba's type for several numbers: 64 of float32 (``lanes``) or 8 of int32 (``whole``)."""


lanes, whole = Lanes("lanes"), Lanes("whole")
VECTORS = {types.float32: VECTOR, types.int32: NUMBERS}


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTOR if kind == lanes else NUMBERS)


def _pointer(context, builder, kind, array, place):
    """The address of the numbers."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), VECTORS[kind.dtype].as_pointer())


def _loaded(context, builder, kind, array, place):
    found = builder.load(_pointer(context, builder, kind, array, place))
    found.align = 4
    return found


@intrinsic
def load(_typing, array, _place):
    """``load(array, place)``: the numbers of an array from a place on."""

    def code(context, builder, signature, arguments):
        return _loaded(context, builder, signature.args[0], *arguments)

    return (whole if array.dtype == types.int32 else lanes)(array, types.intp), code


@intrinsic
def store(_typing, kept, array, _place):
    """``store(lanes, array, place)``: write the numbers into an array from a place on."""

    def code(context, builder, signature, arguments):
        builder.store(arguments[0], _pointer(context, builder, signature.args[1], *arguments[1:])).align = 4
        return context.get_dummy_value()

    return types.void(kept, array, types.intp), code


@intrinsic
def total(_typing, _whole, _others):
    """``total(whole, others)``: the sums of whole numbers; what does not fit wraps around."""

    def code(_context, builder, _signature, arguments):
        return builder.add(*arguments)

    return whole(whole, whole), code


@intrinsic
def less(_typing, _whole, _others):
    """``less(whole, others)``: the differences of whole numbers; what does not fit wraps around."""

    def code(_context, builder, _signature, arguments):
        return builder.sub(*arguments)

    return whole(whole, whole), code


@intrinsic
def both(_typing, _whole, _others):
    """``both(whole, others)``: the bits that are set in both of two numbers, for each pair of whole numbers."""

    def code(_context, builder, _signature, arguments):
        return builder.and_(*arguments)

    return whole(whole, whole), code


@intrinsic
def either(_typing, _whole, _others):
    """``either(whole, others)``: the bits that are set in any of two numbers, for each pair of whole numbers."""

    def code(_context, builder, _signature, arguments):
        return builder.or_(*arguments)

    return whole(whole, whole), code


@intrinsic
def negatives(_typing, _whole):
    """``negatives(whole)``: a uint64 whose bit i, counted from the lowest, is set if whole number i is below zero."""

    def code(_context, builder, _signature, arguments):
        signs = builder.icmp_signed("<", arguments[0], ir.Constant(NUMBERS, [0] * WHOLE))
        return builder.zext(builder.bitcast(signs, ir.IntType(WHOLE)), WORD)

    return types.uint64(whole), code


@intrinsic
def ending(_typing, _whole, _last_but_one, _last):
    """``ending(whole, last_but_one, last)``: the whole numbers with the last two replaced by these."""

    def code(_context, builder, _signature, arguments):
        found, *ends = arguments
        for place, number in enumerate(ends, WHOLE - len(ends)):
            found = builder.insert_element(found, number, WORD(place))
        return found

    return whole(whole, types.int32, types.int32), code


@intrinsic
def plus(_typing, _lanes, _factor, _others):
    """``plus(lanes, factor, others)``: lanes + factor * others; each product is rounded, then each sum."""

    def code(_context, builder, _signature, arguments):
        total, factor, others = arguments
        none = ir.Constant(VECTOR, ir.Undefined)
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        factors = builder.shuffle_vector(builder.insert_element(none, factor, WORD(0)), none, everywhere)
        return builder.fadd(total, builder.fmul(factors, others))

    return lanes(lanes, types.float32, lanes), code


@intrinsic
def rectified(_typing, _lanes, _by):
    """``rectified(lanes, by)``: each number where ``by`` is above zero, and zero elsewhere."""

    def code(_context, builder, _signature, arguments):
        zeros = ir.Constant(VECTOR, [0.0] * LANES)
        return builder.select(builder.fcmp_ordered(">", arguments[1], zeros), arguments[0], zeros)

    return lanes(lanes, lanes), code


@intrinsic
def nonzero(_typing, array, _place):
    """``nonzero(array, place)``: a uint64 whose bit i, counted from the lowest, is set if number i is not zero."""

    def code(context, builder, signature, arguments):
        found = _loaded(context, builder, signature.args[0], *arguments)
        return builder.bitcast(builder.fcmp_unordered("!=", found, ir.Constant(VECTOR, [0.0] * LANES)), WORD)

    return types.uint64(array, types.intp), code


@intrinsic
def lowest(_typing, _bits):
    """``lowest(bits)``: the index of the lowest set bit of a uint64, which must not be zero."""

    def code(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], BIT(1))

    return types.int64(types.uint64), code
