/** Licences that ask for no more than that their text is kept, by SPDX. */
const ALLOWED = ["0BSD", "Apache-2.0", "BlueOak-1.0.0", "BSD-2-Clause", "BSD-3-Clause", "CC0-1.0", "ISC", "MIT", "OFL-1.1"];

/** What some packages write where SPDX has a name for it. */
const MEANT: Record<string, string> = { "SIL OPEN FONT LICENSE": "OFL-1.1" };

/** Others, allowed to some packages for a reason. */
export const EXCEPTIONS: { packages: RegExp; licence: string; reason: string }[] = [
  { packages: /^argparse$/, licence: "PSF-2.0", reason: "Python's own licence: permissive." },
  { packages: /^stream-buffers$/, licence: "Unlicense", reason: "Public domain." },
  {
    packages: /^caniuse-lite$/,
    licence: "CC-BY-4.0",
    reason: "Data about browsers that Next's build reads; named in the list of licences.",
  },
  {
    packages: /^lightningcss(-|$)/,
    licence: "MPL-2.0",
    reason: "Copyleft by file: it compiles CSS at build time, unchanged, and no part of it is in what comes out.",
  },
  {
    packages: /^@img\/sharp-(libvips-|wasm32|win32-)/,
    licence: "LGPL-3.0-or-later",
    reason: "A shared library, unchanged and replaceable, that Next brings for pictures. crdshift resizes none.",
  },
];

/** The SPDX expression that a package's licence means. */
export function spdxOf(licence: string): string {
  return MEANT[licence] ?? licence;
}

/** Whether a package may have that licence. Of alternatives one has to be allowed, of several at once each; what mixes them is taken for the latter. */
export function isLicenceAllowed(name: string, licence: string): boolean {
  const expression = spdxOf(licence).replace(/[()]/g, "");
  const ids = expression.split(/ (?:AND|OR) /);
  const isAllowed = (id: string) =>
    ALLOWED.includes(id) || EXCEPTIONS.some((exception) => exception.licence === id && exception.packages.test(name));
  return expression.includes(" AND ") ? ids.every(isAllowed) : ids.some(isAllowed);
}
