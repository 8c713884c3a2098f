export const HEADER_ID = "header";

/** Where menus of the header are rendered: all content belongs to a landmark. */
export function headerLandmark(): HTMLElement | null {
  return typeof document === "undefined" ? null : document.getElementById(HEADER_ID);
}
