"""A vector register of float32 for numba: load, store, fused multiply-add, sum, prefetch.

LLVM does not keep rows of a matrix in registers across a loop over words by itself. These few intrinsics say it outright:
`LANES` neighbouring numbers of a row are one value, 16 with AVX-512 and 8 elsewhere. Arrays are flat float32; a row starts at
``word * columns`` where ``columns`` is a multiple of `LANES`.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

import llvmlite.binding as llvm
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.typing import signature
from numba.core.typing.templates import AbstractTemplate, infer_global
from numba.extending import intrinsic, lower_builtin, models, register_model

LANES = 16 if llvm.get_host_cpu_features().get("avx512f", False) else 8
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_INTEGERS = ir.VectorType(ir.IntType(32), LANES)
_FAST = ("reassoc", "contract", "nsz")


class _Lanes(types.Type):  # type: ignore[misc]
    """numba's name for `LANES` float32 in one register."""

    def __init__(self) -> None:
        super().__init__(name=f"float32x{LANES}")


_LANES = _Lanes()


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):  # type: ignore[misc]
    """An LLVM vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)


def _address(context: Any, builder: Any, kind: Any, array: Any, offset: Any) -> Any:
    """Pointer to ``array[offset]`` of a flat array, unchecked."""
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [offset])


@intrinsic
def load(typing: Any, array: Any, offset: Any) -> Any:  # noqa: ARG001
    """Read ``array[offset : offset + LANES]``."""

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:
        pointer = _address(context, builder, made.args[0], *values)
        return builder.load(builder.bitcast(pointer, _VECTOR.as_pointer()), align=4)

    return _LANES(array, types.intp), generate


@intrinsic
def store(typing: Any, array: Any, offset: Any, value: Any) -> Any:  # noqa: ARG001
    """Write ``value`` to ``array[offset : offset + LANES]``."""

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:
        pointer = _address(context, builder, made.args[0], *values[:2])
        builder.store(values[2], builder.bitcast(pointer, _VECTOR.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, _LANES), generate


@intrinsic
def splat(typing: Any, number: Any) -> Any:  # noqa: ARG001
    """Repeat one float32 over all lanes."""

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:  # noqa: ARG001
        one = builder.insert_element(
            ir.Constant(_VECTOR, ir.Undefined), values[0], ir.Constant(ir.IntType(32), 0)
        )
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), zeros)

    return _LANES(types.float32), generate


@intrinsic
def fma(typing: Any, a: Any, b: Any, c: Any) -> Any:  # noqa: ARG001
    """``a * b + c`` lane by lane, in one rounding where the machine can."""

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:  # noqa: ARG001
        product = builder.fmul(values[0], values[1], flags=_FAST)
        return builder.fadd(product, values[2], flags=_FAST)

    return _LANES(_LANES, _LANES, _LANES), generate


@intrinsic
def total(typing: Any, value: Any) -> Any:  # noqa: ARG001
    """Sum of the lanes, float32."""

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:  # noqa: ARG001
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(_FLOAT, [_FLOAT, _VECTOR]),
            f"llvm.vector.reduce.fadd.v{LANES}f32",
        )
        return builder.call(function, [ir.Constant(_FLOAT, 0.0), values[0]], fastmath=_FAST)

    return types.float32(_LANES), generate


@intrinsic
def prefetch(typing: Any, array: Any, offset: Any) -> Any:  # noqa: ARG001
    """Ask for the cache line of ``array[offset]``, to be read and written soon."""

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:
        byte, integer = ir.IntType(8).as_pointer(), ir.IntType(32)
        function = cgutils.get_or_insert_function(
            builder.module,
            ir.FunctionType(ir.VoidType(), [byte, integer, integer, integer]),
            "llvm.prefetch.p0",
        )
        pointer = builder.bitcast(_address(context, builder, made.args[0], *values), byte)
        builder.call(function, [pointer, integer(1), integer(3), integer(1)])
        return context.get_dummy_value()

    return types.void(array, types.intp), generate


def _arithmetic(operation: Callable[..., Any], instruction: str) -> None:
    """Let numba compile ``operation`` between two registers."""

    @infer_global(operation)
    class _Template(AbstractTemplate):  # type: ignore[misc]
        def generic(self, args: Any, kws: Any) -> Any:  # noqa: ARG002
            return signature(_LANES, _LANES, _LANES) if args == (_LANES, _LANES) else None

    @lower_builtin(operation, _Lanes, _Lanes)  # type: ignore[untyped-decorator]
    def _generate(context: Any, builder: Any, made: Any, values: Any) -> Any:  # noqa: ARG001
        return getattr(builder, instruction)(*values, flags=_FAST)


for _operation, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _arithmetic(_operation, _instruction)


@intrinsic
def clip(typing: Any, value: Any, bound: Any) -> Any:  # noqa: ARG001
    """``value`` held between ``-bound`` and ``bound``; NaN becomes a bound."""

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:  # noqa: ARG001
        value, bound = values
        high = builder.select(builder.fcmp_ordered("<", value, bound), value, bound)
        low = builder.fneg(bound)
        return builder.select(builder.fcmp_ordered(">", high, low), high, low)

    return _LANES(_LANES, _LANES), generate


@intrinsic
def nearest(typing: Any, value: Any) -> Any:  # noqa: ARG001
    """Round to whole numbers."""

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:  # noqa: ARG001
        function = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(_VECTOR, [_VECTOR]), f"llvm.rint.v{LANES}f32"
        )
        return builder.call(function, [values[0]])

    return _LANES(_LANES), generate


def _whole(number: int) -> Any:
    """Repeat an int32 constant over the lanes."""
    return ir.Constant(_INTEGERS, [number] * LANES)


@intrinsic
def power_of_two(typing: Any, whole: Any) -> Any:  # noqa: ARG001
    """Two to whole numbers within -126 and 127, by writing the exponent's bits."""

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:  # noqa: ARG001
        biased = builder.add(builder.fptosi(values[0], _INTEGERS), _whole(127))
        return builder.bitcast(builder.shl(biased, _whole(23)), _VECTOR)

    return _LANES(_LANES), generate


_HALF_ROOT = 0x3F3504F3  # the bits of sqrt(1/2)


@intrinsic
def exponent(typing: Any, value: Any) -> Any:  # noqa: ARG001
    """Return the n of ``value = 2**n * m`` with m in [sqrt(1/2), sqrt(2)), for positive normal numbers."""

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:  # noqa: ARG001
        raw = builder.sub(builder.bitcast(values[0], _INTEGERS), _whole(_HALF_ROOT))
        return builder.sitofp(builder.ashr(raw, _whole(23)), _VECTOR)

    return _LANES(_LANES), generate


@intrinsic
def mantissa(typing: Any, value: Any) -> Any:  # noqa: ARG001
    """Return the m of `exponent`."""

    def generate(context: Any, builder: Any, made: Any, values: Any) -> Any:  # noqa: ARG001
        raw = builder.sub(builder.bitcast(values[0], _INTEGERS), _whole(_HALF_ROOT))
        kept = builder.add(builder.and_(raw, _whole(0x007FFFFF)), _whole(_HALF_ROOT))
        return builder.bitcast(kept, _VECTOR)

    return _LANES(_LANES), generate
