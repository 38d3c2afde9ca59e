"""A vector register of float32 for numba: load, store, multiply-add, sum, prefetch, and the logistic function over its lanes.

By itself LLVM does not keep pieces of many rows in registers across a loop over words. These
intrinsics say it outright: `LANES` neighbouring numbers of a row are one value, 16 with AVX-512
and 8 elsewhere. Arrays are flat float32; a row starts at ``word * columns`` where ``columns`` is a
multiple of `LANES`. Offsets are not checked.
"""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import Any

import llvmlite.binding as llvm
import numpy as np
from llvmlite import ir
from numba import extending, njit, types
from numba.extending import models, register_model

LANES = 16 if llvm.get_host_cpu_features().get("avx512f", False) else 8
_FLOAT = ir.FloatType()
_VECTOR = ir.VectorType(_FLOAT, LANES)
_INTEGERS = ir.VectorType(ir.IntType(32), LANES)
_FAST = ("reassoc", "contract", "nsz")
_HALF_ROOT = 0x3F3504F3  # the bits of sqrt(1/2)


def source_digest(*files: str) -> str:
    """Return a digest of files of this package: numba's cache looks for changes in a kernel's own file alone, so its key holds one."""
    sources = (Path(__file__).with_name(file).read_bytes() for file in files)
    return hashlib.sha256(b"".join(sources)).hexdigest()


class _Lanes(types.Type):
    """numba's name for `LANES` float32 in one register."""

    def __init__(self) -> None:
        super().__init__(name=f"float32x{LANES}")


_LANES: Any = _Lanes()


def intrinsic(function: Callable[..., Any]) -> Any:
    """`numba.extending.intrinsic`, whose result is called with the arguments after ``typing``."""
    return extending.intrinsic(function)


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    """An LLVM vector."""

    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, _VECTOR)  # type: ignore[no-untyped-call]


def _address(context: Any, builder: Any, kind: Any, array: Any, offset: Any) -> Any:
    """Pointer to ``array[offset]`` of a flat array, unchecked."""
    # A register that is spilled across two cache lines costs a third of the speed, so functions align their stack. llvmlite prints no
    # alignment where nothing else is said of a function; that it raises no exception of C++ is true of all.
    builder.function.attributes.add("nounwind")
    builder.function.attributes.alignstack = 64
    data = context.make_array(kind)(context, builder, array).data
    return builder.gep(data, [offset])


def _call(builder: Any, name: str, result: Any, values: list[Any], **options: Any) -> Any:
    """Call one of LLVM's own functions, which returns a ``result``."""
    kind = ir.FunctionType(result, [value.type for value in values])
    return builder.call(builder.module.declare_intrinsic(name, (), kind), values, **options)


def on_registers(emit: Callable[..., Any]) -> Any:
    """Let numba compile what ``emit(builder, *registers)`` emits: a function of registers that returns a register."""

    @intrinsic
    @wraps(emit)
    def define(typing: Any, *registers: Any) -> Any:  # noqa: ARG001
        """Give the type, and what emits the instructions."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
            """Emit them."""
            return emit(builder, *values)

        return _LANES(*[_LANES] * len(registers)), generate

    return define


@intrinsic
def load(typing: Any, array: Any, offset: Any) -> Any:  # noqa: ARG001
    """Read ``array[offset : offset + LANES]``."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        """Emit an unaligned vector load."""
        pointer = _address(context, builder, signature.args[0], *values)
        return builder.load(builder.bitcast(pointer, _VECTOR.as_pointer()), align=4)

    return _LANES(array, types.intp), generate


@intrinsic
def store(typing: Any, array: Any, offset: Any, value: Any) -> Any:  # noqa: ARG001
    """Write ``value`` to ``array[offset : offset + LANES]``."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        """Emit an unaligned vector store."""
        pointer = _address(context, builder, signature.args[0], *values[:2])
        builder.store(values[2], builder.bitcast(pointer, _VECTOR.as_pointer()), align=4)
        return context.get_dummy_value()

    return types.void(array, types.intp, _LANES), generate


@intrinsic
def splat(typing: Any, number: Any) -> Any:  # noqa: ARG001
    """Repeat one float32 over all lanes."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        """Emit an insertion into lane 0 and a shuffle to all."""
        first = builder.insert_element(
            ir.Constant(_VECTOR, ir.Undefined), values[0], ir.Constant(ir.IntType(32), 0)
        )
        zeros = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(first, ir.Constant(_VECTOR, ir.Undefined), zeros)

    return _LANES(types.float32), generate


@on_registers
def fma(builder: Any, a: Any, b: Any, c: Any) -> Any:
    """Return ``a * b + c`` lane by lane, in one rounding where the machine can."""
    return builder.fadd(builder.fmul(a, b, flags=_FAST), c, flags=_FAST)


@intrinsic
def total(typing: Any, value: Any) -> Any:  # noqa: ARG001
    """Sum of the lanes, float32."""

    def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:  # noqa: ARG001
        """Emit llvm's sum over the lanes."""
        name = f"llvm.vector.reduce.fadd.v{LANES}f32"
        addends = [ir.Constant(_FLOAT, 0.0), values[0]]
        return _call(builder, name, _FLOAT, addends, fastmath=_FAST)

    return types.float32(_LANES), generate


def _prefetching(write: int) -> Any:
    """Return what asks for the cache line of ``array[offset]``, to be read soon, or to be read and written."""

    @intrinsic
    def ask(typing: Any, array: Any, offset: Any) -> Any:  # noqa: ARG001
        """Give the type, and what emits the prefetch."""

        def generate(context: Any, builder: Any, signature: Any, values: Any) -> Any:
            """Emit llvm's prefetch."""
            byte, integer = ir.IntType(8).as_pointer(), ir.IntType(32)
            pointer = builder.bitcast(_address(context, builder, signature.args[0], *values), byte)
            hints = [integer(write), integer(3), integer(1)]
            _call(builder, "llvm.prefetch.p0", ir.VoidType(), [pointer, *hints])
            return context.get_dummy_value()

        return types.void(array, types.intp), generate

    return ask


prefetch = _prefetching(1)
prefetch_to_read = _prefetching(0)


def _arithmetic(operation: Callable[[Any, Any], Any], instruction: str) -> None:
    """Let numba compile ``operation`` between two registers."""

    @on_registers
    def compute(builder: Any, a: Any, b: Any) -> Any:
        """Emit ``instruction``."""
        return getattr(builder, instruction)(a, b, flags=_FAST)

    def implementation(a: Any, b: Any) -> Any:
        """Compute it between two registers."""
        return compute(a, b)

    def choose(a: Any, b: Any) -> Any:
        """Overload for registers, for nothing else."""
        return implementation if a == b == _LANES else None

    extending.overload(operation, inline="always")(choose)


_arithmetic(operator.add, "fadd")
_arithmetic(operator.sub, "fsub")
_arithmetic(operator.mul, "fmul")
_arithmetic(operator.truediv, "fdiv")


@on_registers
def clip(builder: Any, value: Any, bound: Any) -> Any:
    """``value`` held between ``-bound`` and ``bound``; NaN becomes a bound."""
    high = builder.select(builder.fcmp_ordered("<", value, bound), value, bound)
    low = builder.fneg(bound)
    return builder.select(builder.fcmp_ordered(">", high, low), high, low)


@on_registers
def nearest(builder: Any, value: Any) -> Any:
    """Round to whole numbers."""
    return _call(builder, f"llvm.rint.v{LANES}f32", _VECTOR, [value])


@on_registers
def root(builder: Any, value: Any) -> Any:
    """Square root of each lane."""
    return _call(builder, f"llvm.sqrt.v{LANES}f32", _VECTOR, [value])


def _whole(number: int) -> Any:
    """Repeat an int32 constant over the lanes."""
    return ir.Constant(_INTEGERS, [number] * LANES)


@on_registers
def power_of_two(builder: Any, whole: Any) -> Any:
    """Two to whole numbers within -126 and 127, by writing the exponent's bits."""
    biased = builder.add(builder.fptosi(whole, _INTEGERS), _whole(127))
    return builder.bitcast(builder.shl(biased, _whole(23)), _VECTOR)


@on_registers
def exponent(builder: Any, value: Any) -> Any:
    """Return the n of ``value = 2**n * m``, m in [sqrt(1/2), sqrt(2)), of normal numbers > 0."""
    raw = builder.sub(builder.bitcast(value, _INTEGERS), _whole(_HALF_ROOT))
    return builder.sitofp(builder.ashr(raw, _whole(23)), _VECTOR)


@on_registers
def mantissa(builder: Any, value: Any) -> Any:
    """Return the m of `exponent`."""
    raw = builder.sub(builder.bitcast(value, _INTEGERS), _whole(_HALF_ROOT))
    kept = builder.add(builder.and_(raw, _whole(0x007FFFFF)), _whole(_HALF_ROOT))
    return builder.bitcast(kept, _VECTOR)


@njit(nogil=True, inline="always")
def exp(x: Any) -> Any:
    """Return e to the x, lane by lane, for |x| <= 80; relative error 2e-7."""
    n = nearest(x * splat(np.float32(1.44269504)))
    r = fma(n, splat(np.float32(-0.693359375)), x)
    r = fma(n, splat(np.float32(2.12194440e-4)), r)
    p = splat(np.float32(1.9875691500e-4))
    p = fma(p, r, splat(np.float32(1.3981999507e-3)))
    p = fma(p, r, splat(np.float32(8.3334519073e-3)))
    p = fma(p, r, splat(np.float32(4.1665795894e-2)))
    p = fma(p, r, splat(np.float32(1.6666665459e-1)))
    p = fma(p, r, splat(np.float32(5.0000001201e-1)))
    return fma(p, r * r, r + splat(np.float32(1.0))) * power_of_two(n)


@njit(nogil=True, inline="always")
def log(x: Any) -> Any:
    """Return the natural logarithm, lane by lane, for positive normal numbers.

    The error is below 2e-7 of the greater of 1 and the result.
    """
    m = mantissa(x) - splat(np.float32(1.0))
    p = splat(np.float32(7.0376836292e-2))
    p = fma(p, m, splat(np.float32(-1.1514610310e-1)))
    p = fma(p, m, splat(np.float32(1.1676998740e-1)))
    p = fma(p, m, splat(np.float32(-1.2420140846e-1)))
    p = fma(p, m, splat(np.float32(1.4249322787e-1)))
    p = fma(p, m, splat(np.float32(-1.6668057665e-1)))
    p = fma(p, m, splat(np.float32(2.0000714765e-1)))
    p = fma(p, m, splat(np.float32(-2.4999993993e-1)))
    p = fma(p, m, splat(np.float32(3.3333331174e-1)))
    z = m * m
    p = fma(p * m, z, fma(splat(np.float32(-0.5)), z, m))
    return fma(exponent(x), splat(np.float32(0.69314718)), p)


@njit(nogil=True, inline="always")
def wrong_odds(scores: Any) -> Any:
    """Return the odds (1 - p) / p against the right answer, p = logistic(score).

    Scores beyond 80 count as 80, NaN as -80.
    """
    return exp(clip(splat(np.float32(-1.0)) * scores, splat(np.float32(80.0))))
