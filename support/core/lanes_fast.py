"""Sixty-four float32 numbers that are worked on at once, for kernels whose sums stay in registers all along.

numba's own loops write a sum to memory after every product, for they must not assume that two arrays lie apart. Here a
kernel says what it keeps. Every number is rounded as in a loop over single ones, on every processor: how many of them
its registers hold makes no difference to what comes out.

An array is a C-contiguous one of float32, of whatever shape, and a place in it counts all of its numbers from the
first. Nothing is checked: all 64 must lie within the array.
"""

from llvmlite import ir
from numba.core import types
from numba.extending import intrinsic, models, register_model

LANES = 64
BIT, WORD = ir.IntType(1), ir.IntType(64)
VECTOR = ir.VectorType(ir.FloatType(), LANES)


class Lanes(types.Type):
    """Numba's type for them."""


@register_model(Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, VECTOR)


lanes = Lanes("lanes")


def _pointer(context, builder, kind, array, place):
    """The address of 64 numbers."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.bitcast(builder.gep(data, [place]), VECTOR.as_pointer())


def _loaded(context, builder, kind, array, place):
    found = builder.load(_pointer(context, builder, kind, array, place))
    found.align = 4
    return found


@intrinsic
def load(_typing, array, _place):
    """``load(array, place)``: those that begin at a place of an array."""

    def code(context, builder, signature, arguments):
        return _loaded(context, builder, signature.args[0], *arguments)

    return lanes(array, types.intp), code


@intrinsic
def store(_typing, _lanes, array, _place):
    """``store(lanes, array, place)``: write them."""

    def code(context, builder, signature, arguments):
        builder.store(arguments[0], _pointer(context, builder, signature.args[1], *arguments[1:])).align = 4
        return context.get_dummy_value()

    return types.void(lanes, array, types.intp), code


@intrinsic
def plus(_typing, _lanes, _factor, _others):
    """``plus(lanes, factor, others)``: lanes + factor * others, each product rounded and then each sum."""

    def code(_context, builder, _signature, arguments):
        total, factor, others = arguments
        none = ir.Constant(VECTOR, ir.Undefined)
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        factors = builder.shuffle_vector(builder.insert_element(none, factor, WORD(0)), none, everywhere)
        return builder.fadd(total, builder.fmul(factors, others))

    return lanes(lanes, types.float32, lanes), code


@intrinsic
def rectified(_typing, _lanes, _by):
    """``rectified(lanes, by)``: each where ``by`` is above zero, and zero elsewhere."""

    def code(_context, builder, _signature, arguments):
        zeros = ir.Constant(VECTOR, [0.0] * LANES)
        return builder.select(builder.fcmp_ordered(">", arguments[1], zeros), arguments[0], zeros)

    return lanes(lanes, lanes), code


@intrinsic
def nonzero(_typing, array, _place):
    """``nonzero(array, place)``: a uint64 with a bit for each that is not zero, the lowest for the first."""

    def code(context, builder, signature, arguments):
        found = _loaded(context, builder, signature.args[0], *arguments)
        return builder.bitcast(builder.fcmp_unordered("!=", found, ir.Constant(VECTOR, [0.0] * LANES)), WORD)

    return types.uint64(array, types.intp), code


@intrinsic
def lowest(_typing, _bits):
    """``lowest(bits)``: which is the lowest bit of a uint64 that is not zero."""

    def code(_context, builder, _signature, arguments):
        return builder.cttz(arguments[0], BIT(1))

    return types.int64(types.uint64), code
