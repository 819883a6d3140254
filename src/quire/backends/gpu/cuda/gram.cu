// The CUDA kernels for Gram matrices, for sums of what was reported, and for what follows an iteration.

const int TILE = 64, DEPTH = 32;  // a block has TILE × TILE numbers of FᵀB, and takes DEPTH rows at once

__device__ __forceinline__ void take(const REAL* from, Long row, Long stop, int column, REAL (*to)[TILE]) {
    for (int i = threadIdx.x; i < DEPTH * TILE / 4; i += 256) {
        int down = i / (TILE / 4), right = 4 * (i % (TILE / 4));
        REAL* at = &to[down][right];
        const REAL* source = from + (row + down) * WIDTH + column + right;
        if (row + down < stop && column + right < WIDTH) load(source, at);
        else at[0] = at[1] = at[2] = at[3] = 0;
    }
}
// Some rows' part of a tile, DEPTH rows in REAL and their sums in float64; of FᵀF, only on and above the
// diagonal. Grid: tiles, groups of rows, starts.
extern "C" __global__ void __launch_bounds__(256)
gram_parts(const REAL* A, const REAL* B, Long n_rows, Long group, int symmetric, double* parts) {
    const int tiles = (WIDTH + TILE - 1) / TILE, down = blockIdx.x / tiles, right = blockIdx.x % tiles;
    if (symmetric && right < down) return;
    __shared__ __align__(16) REAL a[DEPTH][TILE];
    __shared__ __align__(16) REAL b[DEPTH][TILE];
    A += blockIdx.z * n_rows * WIDTH;
    B += blockIdx.z * n_rows * WIDTH;
    const Long start = blockIdx.y * group, stop = start + group < n_rows ? start + group : n_rows;
    const int i0 = threadIdx.x / 16 * 4, j0 = threadIdx.x % 16 * 4;
    double sums[4][4] = {};
    for (Long row = start; row < stop; row += DEPTH) {
        __syncthreads();
        take(A, row, stop, down * TILE, a);
        take(B, row, stop, right * TILE, b);
        __syncthreads();
        REAL some[4][4] = {};
#pragma unroll 8
        for (int r = 0; r < DEPTH; ++r) {
            REAL x[4], y[4];
            load_shared(&a[r][i0], x);
            load_shared(&b[r][j0], y);
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) some[i][j] += x[i] * y[j];
        }
#pragma unroll
        for (int i = 0; i < 4; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j) sums[i][j] += (double)some[i][j];
    }
    double* out = parts + (blockIdx.z * (Long)gridDim.y + blockIdx.y) * WIDTH * WIDTH;
    for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) {
            int row = down * TILE + i0 + i, column = right * TILE + j0 + j;
            if (row < WIDTH && column < WIDTH) out[row * WIDTH + column] = sums[i][j];
        }
}
// Add the groups up, in a fixed order. Grid: 32 numbers a block, starts.
extern "C" __global__ void __launch_bounds__(256)
gram_sum(const double* parts, int groups, int symmetric, double* out) {
    __shared__ double sums[8][32];
    const int at = blockIdx.x * 32 + threadIdx.x % 32, slice = threadIdx.x / 32;
    const int i = at / WIDTH, j = at % WIDTH;
    const int from = symmetric && j / TILE < i / TILE ? j * WIDTH + i : at;
    double sum = 0;
    parts += blockIdx.y * (Long)groups * WIDTH * WIDTH;
    if (i < WIDTH)
        for (int g = slice; g < groups; g += 8) sum += parts[(Long)g * WIDTH * WIDTH + from];
    sums[slice][threadIdx.x % 32] = sum;
    __syncthreads();
    if (slice || i >= WIDTH) return;
    for (int s = 1; s < 8; ++s) sum += sums[s][threadIdx.x % 32];
    out[blockIdx.y * (Long)WIDTH * WIDTH + at] = sum;
}
// Sum what the blocks reported, in a fixed order: one block of 256 threads for each start.
extern "C" __global__ void add_up(const double* report, int count, double* out) {
    __shared__ double sums[256][2];
    double inner = 0, residual = 0;
    report += 2 * blockIdx.y * (Long)count;
    for (int i = threadIdx.x; i < count; i += 256) {
        inner += report[2 * i];
        residual += report[2 * i + 1];
    }
    sums[threadIdx.x][0] = inner;
    sums[threadIdx.x][1] = residual;
    for (int far = 128; far; far /= 2) {
        __syncthreads();
        if (threadIdx.x < far)
            for (int i = 0; i < 2; ++i) sums[threadIdx.x][i] += sums[threadIdx.x + far][i];
    }
    if (threadIdx.x == 0) {
        out[2 * blockIdx.y] = sums[0][0];
        out[2 * blockIdx.y + 1] = sums[0][1];
    }
}
extern "C" __global__ void extrapolate(const REAL* F, REAL* old, REAL beta, Long size) {
    for (Long i = (Long)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += (Long)gridDim.x * blockDim.x) {
        REAL next = F[i] + beta * (F[i] - old[i]);
        old[i] = next > 0 ? next : (REAL)0;
    }
}
// After an iteration of several starts: keep what was found and carry the next trial on by the start's beta;
// or, where beta is negative, go back to what was kept.
extern "C" __global__ void carry_on(REAL* kept, REAL* trial, const REAL* betas, Long size) {
    const REAL beta = betas[blockIdx.y];
    kept += blockIdx.y * size;
    trial += blockIdx.y * size;
    for (Long i = (Long)blockIdx.x * blockDim.x + threadIdx.x; i < size; i += (Long)gridDim.x * blockDim.x) {
        REAL found = trial[i], before = kept[i];
        REAL next = beta < 0 ? before : found + beta * (found - before);
        if (beta >= 0) kept[i] = found;
        trial[i] = next > 0 ? next : (REAL)0;
    }
}
