/** SPDX ids of licences that only require keeping their text. */
const ALLOWED = ["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "OFL-1.1"];

/** SPDX ids for non-standard names that some packages use. */
const MEANT: Record<string, string> = { "SIL OPEN FONT LICENSE": "OFL-1.1" };

/** Other licences, each allowed for certain packages, with the reason. */
export const EXCEPTIONS: { packages: RegExp; licence: string; reason: string }[] = [
  { packages: /^argparse$/, licence: "PSF-2.0", reason: "Python's own licence: permissive." },
  { packages: /^stream-buffers$/, licence: "Unlicense", reason: "Public domain." },
  {
    packages: /^caniuse-lite$/,
    licence: "CC-BY-4.0",
    reason: "Browser data that Next's build reads; credited in the list of licences.",
  },
  {
    packages: /^lightningcss(-|$)/,
    licence: "MPL-2.0",
    reason: "File-level copyleft: used unchanged to compile CSS at build time; the output contains no part of it.",
  },
  {
    packages: /^@img\/sharp-(libvips-|wasm32|win32-)/,
    licence: "LGPL-3.0-or-later",
    reason: "An unchanged, replaceable shared library that Next installs for images. crdshift resizes none.",
  },
];

/** The SPDX expression for a package's licence. */
export function spdxOf(licence: string): string {
  return MEANT[licence] ?? licence;
}

/** Whether a package may have this licence. OR needs one allowed licence, AND needs all; a mix of both counts as AND. */
export function isLicenceAllowed(name: string, licence: string): boolean {
  const expression = spdxOf(licence).replace(/[()]/g, "");
  const ids = expression.split(/ (?:AND|OR) /);
  const isAllowed = (id: string) =>
    ALLOWED.includes(id) || EXCEPTIONS.some((exception) => exception.licence === id && exception.packages.test(name));
  return expression.includes(" AND ") ? ids.every(isAllowed) : ids.some(isAllowed);
}
