// The CUDA kernels for products, coordinate descent and multiplicative updates.
//
// A row of X with many entries (a common word, in Xᵀ) is cut into pieces: add_pieces gives each a group of
// its own, and the row's group adds up what they found, in their order, so that the same bits come out always.
// A start's Gram matrix is followed by a row of 1 / G_tt.

// to += by * (row t of G)
__device__ __forceinline__ void add_gram_row(const REAL* G, int t, REAL by, int lane, Row to) {
#pragma unroll
    for (int q = 0; q < QUADS; ++q) {
        if (!within(column_of(q, lane))) continue;
        REAL row[4];
        const REAL* at = G + t * WIDTH + column_of(q, lane);
#if SHARED
        load_shared(at, row);
#else
        load(at, row);
#endif
#pragma unroll
        for (int c = 0; c < 4; ++c) to[q][c] += by * row[c];
    }
}
__device__ __forceinline__ int owners(int q) {  // lanes that have topics in quad q
    return WIDTH / 4 - q * LANES < LANES ? WIDTH / 4 - q * LANES : LANES;
}
// to += f G
__device__ __forceinline__ void add_times_gram(const REAL* G, Row f, int lane, Row to) {
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
        for (int owner = 0; owner < owners(q); ++owner)
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                REAL value = __shfl_sync(ALL, f[q][c], owner, LANES);
                if (value != 0) add_gram_row(G, column_of(q, owner) + c, value, lane, to);
            }
}
__device__ __forceinline__ const REAL* held_gram(const REAL* G) {
#if SHARED
    extern __shared__ __align__(16) unsigned char memory[];
    REAL* held = (REAL*)memory;
    for (int i = threadIdx.x; i < WIDTH * WIDTH; i += THREADS) held[i] = G[i];
    __syncthreads();
    return held;
#else
    return G;
#endif
}
#define OF_START \
    B += blockIdx.y * n_other * WIDTH; \
    F += blockIdx.y * n_rows * WIDTH; \
    gram += blockIdx.y * (WIDTH + 1) * WIDTH;

extern "C" __global__ void __launch_bounds__(THREADS)
add_pieces(const Long* start, const Long* stop, const int* slot, const int* indices, const REAL* data,
           const REAL* B, REAL* out, int count, Long n_other) {
    PLACE
    if (row >= count) return;
    B += blockIdx.y * n_other * WIDTH;
    out += blockIdx.y * (Long)count * WIDTH;
    Row p;
    clear(p);
    add_entries(indices, data, B, start[row], stop[row], lane, p);
    store_row(out + (Long)slot[row] * WIDTH, lane, p);
}

extern "C" __global__ void __launch_bounds__(THREADS)
product(SIDE, const REAL* B, REAL* out, Long n_other, Long n_rows) {
    PLACE
    if (row >= n_rows) return;
    B += blockIdx.y * n_other * WIDTH;
    out += blockIdx.y * n_rows * WIDTH;
    Row p;
    clear(p);
    target(GIVEN, B, row, lane, p);
    store_row(out + row * WIDTH, lane, p);
}

extern "C" __global__ void __launch_bounds__(THREADS)
multiply(SIDE, const REAL* B, const REAL* gram, REAL l1, REAL* F, double* report, Long n_other,
         Long n_rows) {
    PLACE
    OF_START
    const REAL* G = held_gram(gram);
    Row p, f, below;
    clear(p); clear(f); clear(below);
    if (row < n_rows) {
        target(GIVEN, B, row, lane, p);
        load_row(F + row * WIDTH, lane, f);
    }
    add_times_gram(G, f, lane, below);
    double inner = 0, residual = 0;
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
#pragma unroll
        for (int c = 0; c < 4; ++c) {
            REAL divisor = below[q][c] + l1, old = f[q][c];
            f[q][c] = divisor > 0 ? old * p[q][c] / divisor : (REAL)0;
            inner += (double)f[q][c] * p[q][c];
            residual += (double)(old - f[q][c]) * (double)(divisor - p[q][c]);
        }
    if (row < n_rows) store_row(F + row * WIDTH, lane, f);
    say(inner, residual, report);
}

// One sweep of the group's row; returns the lane's share of what it gained. d = 0 for a row that is done.
__device__ __forceinline__ REAL sweep(const REAL* G, Row inverse, bool active, int lane, Row f, Row g) {
    REAL gained = 0;
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
        for (int owner = 0; owner < owners(q); ++owner)
#pragma unroll
            for (int c = 0; c < 4; ++c) {
                REAL wanted = f[q][c] - g[q][c] * inverse[q][c];
                REAL mine = (wanted > 0 ? wanted : (REAL)0) - f[q][c];
                mine = active && inverse[q][c] > 0 ? mine : (REAL)0;
                REAL moved = __shfl_sync(ALL, mine, owner, LANES);
                if (moved != 0) {
                    int t = column_of(q, owner) + c;
                    add_gram_row(G, t, moved, lane, g);
                    if (lane == owner) {
                        f[q][c] = wanted > 0 ? wanted : (REAL)0;
                        gained += G[t * WIDTH + t] * moved * moved;
                    }
                }
            }
    return gained;
}

extern "C" __global__ void __launch_bounds__(THREADS)
descend(SIDE, const REAL* B, const REAL* gram, REAL l1, int sweeps, REAL patience, REAL* F, double* report,
        Long n_other, Long n_rows) {
    PLACE
    OF_START
    const REAL* inverses = gram + WIDTH * WIDTH;
    const REAL* G = held_gram(gram);
    Row p, f, g, inverse;
    clear(p); clear(f); clear(inverse);
    bool active = row < n_rows;
    if (active) {
        target(GIVEN, B, row, lane, p);
        load_row(F + row * WIDTH, lane, f);
    }
    load_row(inverses, lane, inverse);
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
#pragma unroll
        for (int c = 0; c < 4; ++c) g[q][c] = l1 - p[q][c];
    __syncwarp();
    add_times_gram(G, f, lane, g);
    REAL enough = 0;
    double residual = 0, inner = 0;
    for (int s = 0; s < sweeps; ++s) {
        REAL gained = sweep(G, inverse, active, lane, f, g);
        if (s == 0) residual = gained;
        for (int far = LANES / 2; far; far /= 2) gained += __shfl_xor_sync(ALL, gained, far, LANES);
        if (s == 0) enough = patience * gained;
        active = active && gained > enough;
        if (!__any_sync(ALL, active)) break;
    }
#pragma unroll
    for (int q = 0; q < QUADS; ++q)
#pragma unroll
        for (int c = 0; c < 4; ++c) inner += (double)f[q][c] * p[q][c];
    if (row < n_rows) store_row(F + row * WIDTH, lane, f);
    say(inner, residual, report);
}
