// What solving one row exactly takes on the GPU: sums over a warp, elimination, a way down.

const double ROUNDING = 1e-12, DEPENDENT = 1e-12, SOLVED = 1e-9, FAR = 1.7976931348623157e308;
const int FULL_EXCHANGES = 3, CORRECTIONS = 2;
#define EACH(t, n) for (int t = lane; t < (n); t += 32)
#define UP(i, j) U[(Long)(i) * (k + 2) + (j)]

__device__ __forceinline__ double add_all(double value) {
    for (int far = 16; far; far /= 2) value += __shfl_xor_sync(ALL, value, far);
    return value;
}
__device__ __forceinline__ void least_of_all(double& value, int& at) {  // the first of equals; at < 0: none
    for (int far = 16; far; far /= 2) {
        double other = __shfl_xor_sync(ALL, value, far);
        int there = __shfl_xor_sync(ALL, at, far);
        bool better = there >= 0 && (at < 0 || other < value || (other == value && there < at));
        value = better ? other : value;
        at = better ? there : at;
    }
}
struct Row_problem {
    const double* gram;
    const int* present;
    double shift, total;
    double *U, *q, *f, *y, *x, *z, *old, *begun;
    int *members, *passive, *marked;
    int k, lane, size;

    __device__ void gradient() {
        EACH(t, k) {
            double value = -q[t];
            for (int j = 0; j < k; ++j)
                if (f[j] != 0) value += f[j] * gram[(Long)j * k + t];
            y[t] = value;
        }
        __syncwarp();
    }
    __device__ double height() {
        gradient();
        double sum = 0;
        EACH(t, k) sum += 0.5 * f[t] * (y[t] - q[t]);
        return add_all(sum);
    }
    __device__ void list_members() {
        size = 0;
        for (int base = 0; base < k; base += 32) {
            bool in = base + lane < k && passive[base + lane];
            unsigned all = __ballot_sync(ALL, in);
            if (in) members[size + __popc(all & ((1u << lane) - 1))] = base + lane;
            size += __popc(all);
        }
        __syncwarp();
    }
    __device__ void eliminate() {
        for (int i = 0; i < size; ++i)
            for (int j = i + lane; j < size; j += 32)
                UP(i, j) = gram[(Long)members[i] * k + members[j]] + shift;
        __syncwarp();
        for (int j = 0; j < size; ++j) {
            double pivot = UP(j, j), whole = gram[(Long)members[j] * k + members[j]] + shift;
            double inverse = pivot > DEPENDENT * whole ? 1.0 / pivot : 0.0;
            __syncwarp();
            if (lane == 0) UP(j, j) = inverse;
            if (inverse != 0)
                for (int m = j + 1 + lane; m < size + 2; m += 32) {
                    const double top = UP(j, m);
                    const int last = m < size ? m : size - 1;
#pragma unroll 4
                    for (int i = j + 1; i <= last; ++i) UP(i, m) -= UP(j, i) * inverse * top;
                }
            __syncwarp();
        }
    }
    __device__ void substitute(int n, int column, double* to) {
        for (int j = n - 1; j >= 0; --j) {
            double sum = 0;
            for (int m = j + 1 + lane; m < n; m += 32) sum += UP(j, m) * to[m];
            sum = add_all(sum);
            if (lane == 0) to[j] = (UP(j, column) - sum) * UP(j, j);
            __syncwarp();
        }
    }
    __device__ void keep_sum() {
        double along = 0, across = 0;
        EACH(i, size) { along += x[i]; across += z[i]; }
        double share = add_all(along) / add_all(across);
        EACH(i, size) x[i] -= share * z[i];
        __syncwarp();
    }
    __device__ double flat_step() {
        double slope = 0, rounding = 0, curvature = 0;
        EACH(i, size) {
            int t = members[i];
            slope += x[i] * y[t];
            rounding += ROUNDING * fabs(x[i]) * (fabs(q[t]) + fabs(y[t] + q[t]));
            for (int j = 0; j < size; ++j) curvature += x[i] * gram[(Long)t * k + members[j]] * x[j];
        }
        slope = add_all(slope); rounding = add_all(rounding); curvature = add_all(curvature);
        if (fabs(slope) <= rounding) return 0;
        if (slope > 0) EACH(i, size) x[i] = -x[i];
        __syncwarp();
        return curvature > 0 ? fabs(slope) / curvature : FAR;
    }
    __device__ double direction(bool pivoting) {
        EACH(i, size) { UP(i, size) = -y[members[i]]; UP(i, size + 1) = 1.0; }
        __syncwarp();
        eliminate();
        if (shift > 0) substitute(size, size + 1, z);
        for (int j = 0; j <= size; ++j) {
            if (j < size && (pivoting || UP(j, j) != 0)) continue;
            substitute(j, j, x);
            for (int i = j + lane; i < size; i += 32) x[i] = i > j ? 0.0 : -1.0;
            __syncwarp();
            if (shift > 0) keep_sum();
            if (j < size) {
                double far = flat_step();
                if (far > 0) return -far;
            }
        }
        return 1.0;
    }
