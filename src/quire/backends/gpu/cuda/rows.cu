// What all CUDA kernels on rows have in common: how a group of threads reads, adds up and reports.
//
// A group of LANES threads has one row. A lane holds QUADS × 4 of its numbers, in registers: the product p, the
// factor's row f, the gradient g. The topic t is in lane (t / 4) mod LANES. LANES is a power of two, so that a
// warp has whole groups; all threads of a warp take every shuffle together.
//
// blockIdx.y is the number of a start: factors, Gram matrices and reports of several starts lie one after
// the other, while X is the same for all.

typedef long long Long;
typedef REAL Row[QUADS][4];
const unsigned ALL = 0xffffffffu;
const int AT_ONCE = sizeof(REAL) == 4 ? 8 : 4;  // entries whose rows of B are on their way together

__device__ __forceinline__ void load(const float* from, float* to) {
    float4 t = __ldg((const float4*)from);
    to[0] = t.x; to[1] = t.y; to[2] = t.z; to[3] = t.w;
}
__device__ __forceinline__ void load(const double* from, double* to) {
    double2 a = __ldg((const double2*)from), b = __ldg((const double2*)from + 1);
    to[0] = a.x; to[1] = a.y; to[2] = b.x; to[3] = b.y;
}
__device__ __forceinline__ void load_shared(const float* from, float* to) {
    float4 t = *(const float4*)from;
    to[0] = t.x; to[1] = t.y; to[2] = t.z; to[3] = t.w;
}
__device__ __forceinline__ void load_shared(const double* from, double* to) {
    double2 a = *(const double2*)from, b = *((const double2*)from + 1);
    to[0] = a.x; to[1] = a.y; to[2] = b.x; to[3] = b.y;
}
__device__ __forceinline__ void store(float* to, const float* from) {
    *(float4*)to = make_float4(from[0], from[1], from[2], from[3]);
}
__device__ __forceinline__ void store(double* to, const double* from) {
    *(double2*)to = make_double2(from[0], from[1]);
    *((double2*)to + 1) = make_double2(from[2], from[3]);
}
__device__ __forceinline__ int column_of(int q, int lane) { return 4 * (q * LANES + lane); }
__device__ __forceinline__ bool within(int column) {
    return WIDTH == 4 * LANES * QUADS || column < WIDTH;
}
__device__ __forceinline__ void clear(Row row) {
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
#pragma unroll
        for (int c = 0; c < 4; ++c) row[q][c] = 0;
}
__device__ __forceinline__ void load_row(const REAL* from, int lane, Row row) {
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
        if (within(column_of(q, lane))) load(from + column_of(q, lane), row[q]);
}
__device__ __forceinline__ void store_row(REAL* to, int lane, Row row) {
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
        if (within(column_of(q, lane))) store(to + column_of(q, lane), row[q]);
}

// p += the sum of x_e B[j_e] over some entries; GUARDED for the last ones, which may be fewer.
template <bool GUARDED>
__device__ __forceinline__ void add_some(const int* indices, const REAL* data, const REAL* B, Long e,
                                         Long stop, int lane, Row p) {
    const REAL* at[AT_ONCE];
    REAL x[AT_ONCE];
#pragma unroll
    for (int u = 0; u < AT_ONCE; ++u) {
        bool there = !GUARDED || e + u < stop;
        at[u] = B + (there ? (Long)__ldg(indices + e + u) * WIDTH : 0);
        x[u] = there ? __ldg(data + e + u) : (REAL)0;
    }
#pragma unroll
    for (int q = 0; q < QUADS; ++q) {
        if (!within(column_of(q, lane))) continue;
        REAL b[AT_ONCE][4];
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u) {
            if (!GUARDED || e + u < stop) load(at[u] + column_of(q, lane), b[u]);
            else b[u][0] = b[u][1] = b[u][2] = b[u][3] = 0;
        }
#pragma unroll
        for (int u = 0; u < AT_ONCE; ++u)
#pragma unroll
            for (int c = 0; c < 4; ++c) p[q][c] += x[u] * b[u][c];
    }
}
__device__ __forceinline__ void add_entries(const int* indices, const REAL* data, const REAL* B, Long e,
                                            Long stop, int lane, Row p) {
    for (; e + AT_ONCE <= stop; e += AT_ONCE) add_some<false>(indices, data, B, e, stop, lane, p);
    if (e < stop) add_some<true>(indices, data, B, e, stop, lane, p);
}

struct Side {  // X from one side, with the pieces of its long rows; or a product that is there already
    const Long* indptr;
    const int* indices;
    const REAL* data;
    const int* first_piece;
    const REAL* pieces;
    const REAL* ready;
};
#define SIDE const Long* indptr, const int* indices, const REAL* data, const int* first_piece, \
             const REAL* pieces, const REAL* ready
#define GIVEN of_start(Side{indptr, indices, data, first_piece, pieces, ready}, n_rows)
__device__ __forceinline__ Side of_start(Side X, Long n_rows) {
    if (blockIdx.y && X.ready) X.ready += blockIdx.y * n_rows * WIDTH;
    if (blockIdx.y && !X.ready) X.pieces += blockIdx.y * (Long)X.first_piece[n_rows] * WIDTH;
    return X;
}

__device__ __forceinline__ void target(Side X, const REAL* B, Long row, int lane, Row p) {
    if (X.ready) return load_row(X.ready + row * WIDTH, lane, p);
    int piece = X.first_piece[row], last = X.first_piece[row + 1];
    if (piece == last) return add_entries(X.indices, X.data, B, X.indptr[row], X.indptr[row + 1], lane, p);
#pragma unroll 4
    for (; piece < last; ++piece) {
        Row one;
        clear(one);
        load_row(X.pieces + (Long)piece * WIDTH, lane, one);
#pragma unroll
        for (int q = 0; q < QUADS; ++q)
#pragma unroll
            for (int c = 0; c < 4; ++c) p[q][c] += one[q][c];
    }
}

// Sum over the block in a fixed order.
__device__ __forceinline__ void say(double inner, double residual, double* report) {
    __shared__ double sums[THREADS / 32][2];
    for (int far = 16; far; far /= 2) {
        inner += __shfl_xor_sync(ALL, inner, far);
        residual += __shfl_xor_sync(ALL, residual, far);
    }
    if (threadIdx.x % 32 == 0) {
        sums[threadIdx.x / 32][0] = inner;
        sums[threadIdx.x / 32][1] = residual;
    }
    __syncthreads();
    if (threadIdx.x < 2) {
        double all = 0;
        for (int w = 0; w < THREADS / 32; ++w) all += sums[w][threadIdx.x];
        report[2 * (blockIdx.y * (Long)gridDim.x + blockIdx.x) + threadIdx.x] = all;
    }
}
#define PLACE \
    const int lane = threadIdx.x % LANES; \
    const Long row = (Long)blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
