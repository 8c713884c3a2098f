/** The document's title. A page renders it itself: Next's `metadata` arrives after the page and leaves the document untitled until then. */
export function Title({ children }: { children: string }) {
  return <title>{`${children} · crdshift`}</title>;
}
