"""The NumPy door: every array that comes in is checked and borrowed here, every array that goes out is made here."""

cimport numpy as np
from libc.stdint cimport int64_t, uint64_t


cdef inline object type_name(object value):
    return f"{type(value).__module__}.{type(value).__qualname__}".removeprefix("builtins.")


cdef inline object shape_of(np.ndarray array):
    return (<object>array).shape


cdef inline np.ndarray checked(object value, object name, int type_number, object dtype, bint writable):
    """The array itself, if it is a C-contiguous array of this native dtype."""
    cdef np.ndarray array
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name} must be a NumPy array of {dtype}, not {type_name(value)}")
    array = value
    if not np.PyArray_EquivTypenums(np.PyArray_TYPE(array), type_number) or not np.PyArray_ISNOTSWAPPED(array):
        raise TypeError(f"{name} has dtype {array.dtype.str!r}: must be native {dtype}")
    if not np.PyArray_IS_C_CONTIGUOUS(array):
        raise ValueError(f"{name} of shape {shape_of(array)} is not C-contiguous: use numpy.ascontiguousarray")
    if not np.PyArray_ISALIGNED(array):
        raise ValueError(f"{name} of shape {shape_of(array)} is not aligned in memory: use its copy()")
    if writable and not np.PyArray_ISWRITEABLE(array):
        raise ValueError(f"{name} is read-only")
    return array


cdef inline np.ndarray position_array(object value, object name, bint writable=False):
    """A checked (n, 4) uint64 array."""
    cdef np.ndarray array = checked(value, name, np.NPY_UINT64, "uint64", writable)
    if np.PyArray_NDIM(array) != 2 or np.PyArray_DIM(array, 1) != 4:
        raise ValueError(f"{name} has shape {shape_of(array)}: must be (n, 4)")
    return array


cdef inline np.ndarray new_array(int type_number, int64_t rows, int64_t columns=0, int64_t depth=0):
    """An array of one, two or three dimensions that is not filled."""
    cdef np.npy_intp shape[3]
    shape[0] = rows
    shape[1] = columns
    shape[2] = depth
    return np.PyArray_EMPTY(3 if depth else 2 if columns else 1, shape, type_number, 0)
