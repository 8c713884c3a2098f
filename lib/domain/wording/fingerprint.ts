export const FINGERPRINT_LENGTH = 21;

/**
 * A short text that differs for different texts, whatever they have in common: 96 bits in base 36. It is no signature: whoever wants two
 * texts to share one can find such a pair.
 */
export function fingerprint(text: string): string {
  let [one, two, three] = [1, 2, 3];
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    // Odd factors whose bits are spread, so that each character changes many bits of all that follow.
    one = mixed(one ^ code, 0x9e3779b1);
    two = mixed(two ^ code, 0x85ebca77);
    three = mixed(three ^ code, 0xc2b2ae3d);
  }
  return [one, two, three].map((lane) => (lane >>> 0).toString(36).padStart(FINGERPRINT_LENGTH / 3, "0")).join("");
}

function mixed(bits: number, factor: number): number {
  const product = Math.imul(bits, factor);
  return product ^ (product >>> 15);
}
