"use client";

import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState, useSyncExternalStore } from "react";

const ROW_PX = 36;
/** Rows have two lines on narrow screens. */
const NARROW_ROW_PX = 60;
const NARROW = "(width < 48rem)";
const HEAD_PX = 32;
/** The sticky page and table headers, which cover rows that scroll under them. */
const COVERED_PX = 48 + HEAD_PX;

/** Renders only the visible rows of `count`, with keyboard navigation. */
export function useFleetRows(count: number) {
  const tableRef = useRef<HTMLTableElement>(null);
  const narrow = useSyncExternalStore(subscribeNarrow, isNarrow, () => false);
  const rowPx = narrow ? NARROW_ROW_PX : ROW_PX;
  const [top, setTop] = useState(0);
  useLayoutEffect(() => {
    const table = tableRef.current;
    if (!table) return;
    const measure = () => setTop(table.getBoundingClientRect().top + window.scrollY + HEAD_PX);
    measure();
    // A banner above the table moves it and changes the page's height.
    const observer = new ResizeObserver(measure);
    observer.observe(document.body);
    return () => observer.disconnect();
  }, []);
  const virtualizer = useWindowVirtualizer({
    count,
    estimateSize: () => rowPx,
    overscan: 10,
    scrollMargin: top,
    scrollPaddingStart: COVERED_PX,
    scrollPaddingEnd: rowPx,
    useFlushSync: false,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: cached sizes must be discarded when rowPx changes
  useEffect(() => virtualizer.measure(), [rowPx]);

  const items = virtualizer.getVirtualItems();
  const focusRow = (index: number) => {
    virtualizer.scrollToIndex(index, { align: "auto" });
    focusWhenThere(tableRef.current, index);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const at = event.target instanceof HTMLElement ? event.target.dataset.rowIndex : undefined;
    if (at === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
    const target = targetRow(event.key, Number(at), count);
    if (target === null) return;
    event.preventDefault();
    focusRow(target);
  };
  return {
    tableRef,
    items,
    before: items[0] ? items[0].start - top : 0,
    after: virtualizer.getTotalSize() - ((items.at(-1)?.end ?? top) - top),
    onKeyDown,
  };
}

function targetRow(key: string, at: number, count: number): number | null {
  const page = Math.max(1, Math.floor((window.innerHeight - COVERED_PX) / ROW_PX) - 1);
  const last = count - 1;
  switch (key) {
    case "ArrowDown":
      return Math.min(last, at + 1);
    case "ArrowUp":
      return Math.max(0, at - 1);
    case "PageDown":
      return Math.min(last, at + page);
    case "PageUp":
      return Math.max(0, at - page);
    case "Home":
      return 0;
    case "End":
      return last;
    default:
      return null;
  }
}

/** Retries for some frames, since a distant row is rendered only after scrolling to it. */
function focusWhenThere(table: HTMLTableElement | null, index: number, framesLeft = 20): void {
  const link = table?.querySelector<HTMLElement>(`[data-row-index="${index}"]`);
  if (link) link.focus({ preventScroll: true });
  else if (framesLeft > 0) requestAnimationFrame(() => focusWhenThere(table, index, framesLeft - 1));
}

function subscribeNarrow(listener: () => void): () => void {
  const query = window.matchMedia(NARROW);
  query.addEventListener("change", listener);
  return () => query.removeEventListener("change", listener);
}

function isNarrow(): boolean {
  return window.matchMedia(NARROW).matches;
}
