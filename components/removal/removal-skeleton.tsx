const rows = [1, 2, 3, 4, 5];

/** The path before its first answer: five steps are there in any case. */
export function RemovalSkeleton() {
  return (
    <div role="status">
      <span className="sr-only">Loading the definition…</span>
      <div aria-hidden className="pt-2">
        <div className="flex h-10 items-center">
          <span className="skeleton h-3 w-96 max-w-full" />
        </div>
        {rows.map((row) => (
          <div key={row} className="flex h-12 items-center gap-3 border-t border-line">
            <span className="skeleton h-3 w-4" />
            <span className="skeleton h-3 w-56 max-w-full" />
          </div>
        ))}
      </div>
    </div>
  );
}
