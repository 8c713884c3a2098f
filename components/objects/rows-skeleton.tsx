const rows = [0, 1, 2, 3, 4, 5];

/** Placeholder rows while a page loads. */
export function RowsSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading…</span>
      <div aria-hidden className="divide-y divide-line">
        {rows.map((row) => (
          <div key={row} className="flex h-9 items-center gap-8">
            <span className="skeleton h-3 w-40" />
            <span className="skeleton h-3 w-64" />
          </div>
        ))}
      </div>
    </div>
  );
}
