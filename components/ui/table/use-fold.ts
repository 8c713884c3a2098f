"use client";

import { useState } from "react";

/** The first `most` items of a list until `unfold` is called; `folded` counts the hidden ones. */
export function useFold<Item>(items: readonly Item[], most: number): { shown: readonly Item[]; folded: number; unfold: () => void } {
  const [isUnfolded, setUnfolded] = useState(false);
  const shown = isUnfolded ? items : items.slice(0, most);
  return { shown, folded: items.length - shown.length, unfold: () => setUnfolded(true) };
}
