#version 450
// Divergent and uniform selections, loops with break and continue, switches with fall-through, early returns.
layout(local_size_x = 16) in;
layout(set = 0, binding = 0) buffer In { int a[16]; };
layout(set = 0, binding = 1) buffer Out { int o[]; };
layout(push_constant) uniform P { int k; } pc;

int collatz(int n) {
    int steps = 0;
    while (n != 1) {
        if (steps > 200) return -1;
        if ((n & 1) == 0) { n /= 2; } else { n = 3 * n + 1; }
        steps++;
    }
    return steps;
}
int nested(int n) {
    int sum = 0;
    for (int i = 0; i < n; ++i) {
        if (i == 3) continue;
        for (int j = 0; j < 10; ++j) {
            if (j > i) break;
            if (((i + j) % 3) == 1) continue;
            sum += i * 10 + j;
            if (sum > 500) return sum;
        }
        if (i > pc.k) break;
        sum += 1;
    }
    return sum;
}
int choose(int n) {
    int r = 100;
    switch (n & 7) {
        case 0: r = 1; break;
        case 1: r += 5;
        case 2: r += 7; break;
        case 3: if (n > 8) break; r = 33; break;
        case 4: return r + 4;
        default: r = -r;
        case 6: r *= 2; break;
    }
    return r;
}
int uniform_choose() {
    int r = 0;
    for (int i = 0; i < 6; ++i) {
        switch (i + pc.k) {
            case 2: r += 1; continue;
            case 3: r += 10;
            case 4: r += 100; break;
            case 7: return r;
            default: r += 1000;
        }
        r += 10000;
    }
    return r;
}
int do_while(int n) {
    int i = 0;
    do { i += n; if (i > 50) break; } while (i < 20);
    return i;
}
void main() {
    uint i = gl_LocalInvocationIndex;
    int x = a[i];
    o[i] = collatz(x);
    o[16 + i] = nested(x);
    o[32 + i] = choose(x);
    o[48 + i] = uniform_choose();
    o[64 + i] = do_while(x);
    int y;
    if (x > 5 && x < 12) { y = x * 2; } else if (x == 13 || pc.k == 77) { y = -1; } else { y = x; }
    o[80 + i] = y;
    int v = 7;
    if (pc.k > 2) { v = x; if (x > 4) { v += 100; } } else { v -= 3; }
    o[96 + i] = v;
    if (x == 9) return;
    o[112 + i] = 1;
    int count = 0;
    bool found = false;
    for (int j = 0; j < 16; ++j) { if (a[j] == x + 1) { found = true; break; } count++; }
    o[128 + i] = found ? count : -count;
}
