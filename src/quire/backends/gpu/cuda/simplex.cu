// The point of a simplex that is nearest to a topic, on the GPU: a block of threads has a topic.

__device__ void add_both(double& first, double& second) {  // over the block, in a fixed order
    __shared__ double sums[2][32];
    for (int far = 16; far; far /= 2) {
        first += __shfl_xor_sync(ALL, first, far);
        second += __shfl_xor_sync(ALL, second, far);
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) {
        sums[0][threadIdx.x / 32] = first;
        sums[1][threadIdx.x / 32] = second;
    }
    __syncthreads();
    first = second = 0;
    for (int w = 0; w < 32; ++w) {
        first += sums[0][w];
        second += sums[1][w];
    }
}
__device__ Long first_largest(const REAL* q, Long n) {
    __shared__ Long best[1024];
    Long mine = -1;
    for (Long i = threadIdx.x; i < n; i += 1024)
        if (mine < 0 || q[i] > q[mine]) mine = i;
    best[threadIdx.x] = mine;
    __syncthreads();
    mine = best[0];
    for (int t = 1; t < 1024; ++t) {
        Long other = best[t];
        if (other >= 0 && (q[other] > q[mine] || (q[other] == q[mine] && other < mine))) mine = other;
    }
    return mine;
}
// [q − τ]₊ with the sum `size`; τ as Michelot (1986) finds it. See quire.engine.rules.simplex.onto_simplex.
extern "C" __global__ void __launch_bounds__(1024)
onto_simplex(const REAL* q, Long n, double size, REAL* out) {
    double tau = -1.7976931348623157e308, before = -1;
    while (true) {
        double sum = 0, count = 0;
        for (Long i = threadIdx.x; i < n; i += 1024)
            if (q[i] > tau) { sum += q[i]; count += 1; }
        add_both(sum, count);
        if (count == 0 || count == before) break;
        tau = (sum - size) / count;
        before = count;
    }
    double weight = 0, unused = 0;
    for (Long i = threadIdx.x; i < n; i += 1024)
        if (q[i] > tau) weight += q[i] - tau;
    add_both(weight, unused);
    Long corner = weight > 0 ? 0 : first_largest(q, n);
    for (Long i = threadIdx.x; i < n; i += 1024)
        out[i] = weight > 0 ? (q[i] > tau ? (q[i] - tau) * (size / weight) : 0) : (i == corner ? size : 0);
}
