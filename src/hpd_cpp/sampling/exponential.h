#pragma once

#include <cstdint>
#include <cstring>

namespace hpd {

// Returns exp(x) for x <= 0, with a relative error of about 2e-7. Float is float or a vector of
// floats, and Int then a vector of as many uint32_t. Unlike with std::exp, a plain loop over it is
// vectorised. Static, as each file that is compiled for its own instruction set must keep its own
// copy.
template <typename Float = float, typename Int = uint32_t>
static inline Float exp_nonpositive(Float x) {
    x = x < -87.0f ? Float{} - 87.0f : x;
    const Float t = x * 1.44269504f;
    // Round to nearest by adding and subtracting 1.5 * 2^23: the low bits then hold the integer.
    const Float shifted = t + 12582912.0f;
    const Float n = shifted - 12582912.0f;
    const Float r = (x - n * 0.693359375f) + n * 2.12194440e-4f;
    Float p = Float{} + 1.9875691e-4f;
    p = p * r + 1.3981999e-3f;
    p = p * r + 8.3334519e-3f;
    p = p * r + 4.1665796e-2f;
    p = p * r + 1.6666665e-1f;
    p = p * r + 5.0e-1f;
    p = p * r * r + r + 1.0f;
    Int bits;
    Int power;
    std::memcpy(&bits, &p, sizeof bits);
    std::memcpy(&power, &shifted, sizeof power);
    bits += power << 23;  // the bits above the integer's are shifted out
    std::memcpy(&p, &bits, sizeof p);
    return p;
}

}  // namespace hpd
