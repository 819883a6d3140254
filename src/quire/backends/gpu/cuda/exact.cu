// The CUDA kernel that solves the rows of a factor exactly; a warp has a row.
//
// It follows cpu.exact_kernels step by step, in float64: block principal pivoting, and the primal
// active set method where that fails. work has a place for every warp: the matrix U and the row's vectors.

    __device__ int exchange(bool only_last) {
        const double level = total > 0 ? y[members[0]] : 0.0;
        EACH(i, size) passive[members[i]] = UP(i, i) != 0;
        __syncwarp();
        int count = 0, last = -1;
        bool stuck = false;
        EACH(t, k) {
            double rounding = ROUNDING * (fabs(q[t]) + fabs(y[t] + q[t]) + fabs(level));
            marked[t] = passive[t] ? f[t] < 0 : present[t] && y[t] - level < -rounding;
            stuck |= passive[t] && fabs(y[t] - level) > SOLVED / ROUNDING * rounding;
            if (marked[t]) { ++count; last = t; }
        }
        __syncwarp();
        EACH(i, size) stuck |= UP(i, i) == 0 && marked[members[i]];
        for (int far = 16; far; far /= 2) {
            count += __shfl_xor_sync(ALL, count, far);
            int there = __shfl_xor_sync(ALL, last, far);
            last = there > last ? there : last;
        }
        stuck = __any_sync(ALL, stuck);
        EACH(t, k)
            if (marked[t] && (t == last || !only_last)) passive[t] = !passive[t];
        __syncwarp();
        return stuck ? -1 : count;
    }
    __device__ int enter(bool correct) {
        double level = 0, weight = 0, least = 0;
        EACH(t, k) { level += f[t] * y[t]; weight += f[t]; }
        level = add_all(level); weight = add_all(weight);
        level = total > 0 ? level / weight : 0.0;
        int best = -1;
        bool unsettled = false;
        EACH(t, k) {
            double rounding = ROUNDING * (fabs(q[t]) + fabs(y[t] + q[t]) + fabs(level)), gain = y[t] - level;
            if (passive[t]) unsettled |= fabs(gain) > rounding;
            else if (present[t] && !marked[t] && gain < -rounding && gain < least) { best = t; least = gain; }
        }
        least_of_all(least, best);
        return __any_sync(ALL, unsettled) && correct ? -2 : best;
    }
    __device__ void give_sum() {
        double weight = 0, least = 0;
        EACH(t, k) weight += f[t];
        weight = add_all(weight);
        if (weight > 1e-200 * total && weight <= FAR) {
            EACH(t, k) f[t] *= total / weight;
            __syncwarp();
            return;
        }
        int best = -1;
        EACH(t, k) {
            f[t] = 0;
            double height = 0.5 * total * gram[(Long)t * k + t] - q[t];
            if (best < 0 || height < least) { best = t; least = height; }
        }
        least_of_all(least, best);
        __syncwarp();
        if (lane == 0) f[best] = total;
        __syncwarp();
    }
    __device__ void begin(double scale) {
        EACH(t, k) f[t] = present[t] && old[t] > 0 ? scale * old[t] : 0.0;
        __syncwarp();
        if (total > 0) give_sum();
        EACH(t, k) { passive[t] = f[t] > 0; marked[t] = 0; }
        __syncwarp();
    }
    __device__ bool move(double reach, int entered) {
        int blocking = -1;
        EACH(i, size)
            if (x[i] < 0 && f[members[i]] < -x[i] * reach) { reach = f[members[i]] / -x[i]; blocking = i; }
        double mine = reach;
        least_of_all(mine, blocking);
        reach = blocking < 0 ? reach : mine;
        if (reach < FAR) EACH(i, size) {
            double next = f[members[i]] + reach * x[i];
            f[members[i]] = next > 0 ? next : 0.0;
        }
        __syncwarp();
        if (blocking >= 0 && lane == 0) {
            int t = members[blocking];
            f[t] = 0; passive[t] = 0; marked[t] = t == entered && reach == 0;
        }
        __syncwarp();
        return blocking < 0;
    }
    __device__ void solve() {
        bool pivoting = true, solved = false;
        int entered = -1, corrections = 0, fewest = k + 1, patience = FULL_EXCHANGES;
        begin(1.0);
        list_members();
        for (int turn = 0; turn < 12 * k + 100; ++turn) {
            if (turn == 6 * k + 50) { pivoting = solved = false; begin(1.0); }
            gradient();
            if (pivoting && solved) {
                int count = exchange(patience < 0);
                if (count == 0) return;
                patience = count < fewest ? FULL_EXCHANGES : patience - 1;
                fewest = count < fewest ? count : fewest;
                if (count < 0 || turn > 2 * k + 20) { pivoting = solved = false; begin(0.0); gradient(); }
            } else if (solved) {
                int enters = enter(corrections < CORRECTIONS);
                if (enters == -1) return;
                if (enters >= 0) {
                    if (lane == 0) passive[enters] = 1;
                    __syncwarp();
                    entered = enters;
                }
                corrections = enters == -2 ? corrections + 1 : 0;
            }
            list_members();
            if (pivoting) {  // whatever f was: the passive topics alone say where it goes
                EACH(t, k) f[t] = 0;
                __syncwarp();
                if (total > 0 && lane == 0) f[members[0]] = total;
                __syncwarp();
                gradient();
            }
            double step = direction(pivoting);
            if (pivoting) {
                solved = true;
                EACH(i, size) f[members[i]] += x[i];
                __syncwarp();
            } else solved = move(fabs(step), entered) && step > 0;
        }
    }
};

extern "C" __global__ void __launch_bounds__(128)
solve_rows(const REAL* P, REAL* F, const double* gram, const int* present, double penalty, double total,
           double* work, double* report, int topics, int width, Long n_rows) {
    Row_problem r;
    const int k = r.k = topics, lane = r.lane = threadIdx.x % 32, warps = gridDim.x * 4;
    const Long warp = blockIdx.x * 4 + threadIdx.x / 32, each = (Long)k * (k + 2) + VECTORS * k;
    r.gram = gram + blockIdx.y * (Long)k * k;
    r.present = present + blockIdx.y * k;
    r.total = total;
    r.U = work + (blockIdx.y * (Long)warps + warp) * each;
    double* vectors = r.U + (Long)k * (k + 2);
    r.q = vectors; r.f = r.q + k; r.y = r.f + k; r.x = r.y + k; r.z = r.x + k; r.old = r.z + k;
    r.begun = r.old + k;
    r.members = (int*)(r.begun + k); r.passive = r.members + k; r.marked = r.passive + k;
    P += blockIdx.y * n_rows * width;
    F += blockIdx.y * n_rows * width;
    double shift = 0, inner = 0, change = 0;
    EACH(t, k) shift += r.gram[(Long)t * k + t] / k;
    shift = add_all(shift);
    r.shift = total > 0 ? (shift > 0 ? shift : 1.0) : 0.0;
    for (Long row = warp; row < n_rows; row += warps) {
        EACH(t, k) {
            r.old[t] = F[row * width + t];
            r.q[t] = total > 0 ? P[row * width + t] : P[row * width + t] - penalty;
        }
        __syncwarp();
        r.begin(1.0);
        EACH(t, k) r.begun[t] = r.f[t];
        const double height = r.height();
        r.solve();
        if (total > 0) r.give_sum();
        if (!(r.height() <= height + ROUNDING * fabs(height)))
            EACH(t, k) r.f[t] = r.begun[t];  // G is too nearly singular to say more
        __syncwarp();
        EACH(t, k) {
            F[row * width + t] = (REAL)r.f[t];
            inner += (double)F[row * width + t] * P[row * width + t];
            r.x[t] = (double)F[row * width + t] - r.old[t];
        }
        __syncwarp();
        EACH(t, k) {
            double along = 0;
            for (int j = 0; j < k; ++j)
                if (r.x[j] != 0) along += r.gram[(Long)t * k + j] * r.x[j];
            change += along * r.x[t];
        }
        __syncwarp();
    }
    inner = add_all(inner);
    change = add_all(change);
    if (lane == 0) {
        report[2 * (blockIdx.y * (Long)warps + warp)] = inner;
        report[2 * (blockIdx.y * (Long)warps + warp) + 1] = change;
    }
}
