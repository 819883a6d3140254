// The CUDA kernels for the losses other than least squares.
//
// A group of threads takes some entries of its row at once: inner products by shuffles within the group, and
// the rows of B are used a second time while they are in registers (see reference.losses). Of a
// long row, each piece has a group of its own (share_pieces), where one sweep is all that is wanted.

const int FEW = QUADS * sizeof(REAL) > 8 ? 2 : 4;  // entries that a group takes at once
const double TINY = sizeof(REAL) == 4 ? 1.1754943508222875e-38 : 2.2250738585072014e-308;

__device__ __forceinline__ unsigned group_mask() {
    return LANES == 32 ? ALL : ((1u << (LANES % 32)) - 1) << (threadIdx.x % 32 / LANES * LANES);
}
// Load the rows of B of some entries, and their x and y = max(f B_j, least + slope x); x = 0 past the end.
__device__ __forceinline__ void entries(const int* indices, const REAL* data, const REAL* B, Long e,
                                        Long stop, int lane, Row f, REAL least, REAL slope, Row* b,
                                        REAL* x, REAL* y) {
#pragma unroll
    for (int u = 0; u < FEW; ++u) {
        bool there = e + u < stop;
        clear(b[u]);
        x[u] = there ? __ldg(data + e + u) : (REAL)0;
        if (there) load_row(B + (Long)__ldg(indices + e + u) * WIDTH, lane, b[u]);
        y[u] = 0;
#pragma unroll
        for (int q = 0; q < QUADS; ++q)
#pragma unroll
            for (int c = 0; c < 4; ++c) y[u] += f[q][c] * b[u][q][c];
    }
    unsigned mask = group_mask();
#pragma unroll
    for (int far = LANES / 2; far; far /= 2)
#pragma unroll
        for (int u = 0; u < FEW; ++u) y[u] += __shfl_xor_sync(mask, y[u], far, LANES);
#pragma unroll
    for (int u = 0; u < FEW; ++u) {
        REAL lowest = least + slope * x[u];
        y[u] = y[u] > lowest ? y[u] : lowest;
    }
}
// The step for one topic; returns what it gains.
__device__ __forceinline__ REAL stepped(REAL& f, REAL q, REAL v, REAL sum, int beta, REAL l1, REAL l2) {
    REAL next, cost;
    if (beta == 1) {
        REAL slope = sum + l1, target = f * q;
        cost = slope + l2 * f;
        if (l2 > 0) {
            REAL below = slope + sqrt(slope * slope + 4 * l2 * target);
            next = below > 0 ? 2 * target / below : (REAL)0;
        } else next = slope > 0 ? target / slope : f;
    } else {
        cost = v + l1 + l2 * f;
        next = cost > 0 ? f * sqrt(q / cost) : f;
    }
    if (!(next >= (REAL)TINY)) next = 0;
    REAL moved = next - f, gained = cost * moved * (moved / (f > (REAL)TINY ? f : (REAL)TINY));
    f = next;
    return gained;
}

// q += Σ x / y B_j over some entries (beta = 1), or q += Σ x / y² B_j and v += Σ 1 / y B_j (beta = 0).
__device__ __forceinline__ void add_shares(const int* indices, const REAL* data, const REAL* B, Long e,
                                           Long stop, int lane, Row f, int beta, REAL least, REAL slope,
                                           Row q, Row v) {
    Row b[FEW];
    REAL x[FEW], y[FEW];
    for (; e < stop; e += FEW) {
        entries(indices, data, B, e, stop, lane, f, least, slope, b, x, y);
#pragma unroll
        for (int u = 0; u < FEW; ++u) {
            REAL one = 1 / y[u], share = beta == 1 ? x[u] / y[u] : x[u] / y[u] / y[u];
#pragma unroll
            for (int i = 0; i < QUADS; ++i)
#pragma unroll
                for (int c = 0; c < 4; ++c) {
                    q[i][c] += share * b[u][i][c];
                    if (beta == 0) v[i][c] += one * b[u][i][c];
                }
        }
    }
}
// The shares of a piece of a long row, two rows of `out` for each: q and v.
extern "C" __global__ void __launch_bounds__(THREADS)
share_pieces(const Long* start, const Long* stop, const int* slot, const int* owner, const int* indices,
             const REAL* data, const REAL* B, int beta, REAL least, REAL slope, const REAL* F, REAL* out,
             Long count) {
    PLACE
    if (row >= count) return;
    Row f, q, v;
    clear(f); clear(q); clear(v);
    load_row(F + (Long)owner[row] * WIDTH, lane, f);
    add_shares(indices, data, B, start[row], stop[row], lane, f, beta, least, slope, q, v);
    store_row(out + 2 * (Long)slot[row] * WIDTH, lane, q);
    if (beta == 0) store_row(out + (2 * (Long)slot[row] + 1) * WIDTH, lane, v);
}
// pieces: where the shares of long rows are there already, for a single sweep; else null.
extern "C" __global__ void __launch_bounds__(THREADS)
rescale(const Long* indptr, const int* indices, const REAL* data, const int* first_piece, const REAL* pieces,
        const REAL* B, const REAL* sums, int beta, REAL l1, REAL l2, REAL least, REAL slope, int sweeps,
        REAL patience, REAL* F, double* report, Long n_rows) {
    PLACE
    Row f, sum;
    clear(f); clear(sum);
    bool active = row < n_rows;
    Long start = active ? indptr[row] : 0, stop = active ? indptr[row + 1] : 0;
    int piece = active && pieces ? first_piece[row] : 0, last = active && pieces ? first_piece[row + 1] : 0;
    if (active) load_row(F + row * WIDTH, lane, f);
    load_row(sums, lane, sum);
    REAL enough = 0;
    double residual = 0;
    for (int s = 0; s < sweeps; ++s) {
        REAL gained = 0;
        if (active) {
            Row q, v, one;
            clear(q); clear(v);
            if (piece == last) add_shares(indices, data, B, start, stop, lane, f, beta, least, slope, q, v);
            for (int p = piece; p < last; ++p)
                for (int both = 0; both < (beta == 0 ? 2 : 1); ++both) {
                    clear(one);
                    load_row(pieces + (2 * (Long)p + both) * WIDTH, lane, one);
#pragma unroll
                    for (int i = 0; i < QUADS; ++i)
#pragma unroll
                        for (int c = 0; c < 4; ++c) (both ? v : q)[i][c] += one[i][c];
                }
#pragma unroll
            for (int i = 0; i < QUADS; ++i)
#pragma unroll
                for (int c = 0; c < 4; ++c)
                    gained += stepped(f[i][c], q[i][c], v[i][c], sum[i][c], beta, l1, l2);
        }
        __syncwarp();
        if (s == 0) residual = gained;
        for (int far = LANES / 2; far; far /= 2) gained += __shfl_xor_sync(ALL, gained, far, LANES);
        if (s == 0) enough = patience * gained;
        active = active && gained > enough;
        if (!__any_sync(ALL, active)) break;
    }
    if (row < n_rows) store_row(F + row * WIDTH, lane, f);
    say(0, residual, report);
}

extern "C" __global__ void __launch_bounds__(THREADS)
divergence(const Long* indptr, const int* indices, const REAL* data, const REAL* B, int beta, REAL least,
           REAL slope, const REAL* F, double* report, Long n_rows) {
    PLACE
    double all = 0;
    if (row < n_rows) {
        Row f, b[FEW];
        REAL x[FEW], y[FEW];
        clear(f);
        load_row(F + row * WIDTH, lane, f);
        for (Long e = indptr[row]; e < indptr[row + 1]; e += FEW) {
            entries(indices, data, B, e, indptr[row + 1], lane, f, least, slope, b, x, y);
#pragma unroll
            for (int u = 0; u < FEW; ++u) {
                double ratio = x[u] > 0 ? (double)x[u] / y[u] : 1.0;
                all += beta == 1 ? x[u] * log(ratio) - x[u] : ratio - log(ratio) - 1;
            }
        }
    }
    __syncwarp();
    say(lane == 0 ? all : 0.0, 0, report);
}
