const rows = [0, 1, 2];

/** The page before its first answer; the name is known from the address. */
export function DefinitionSkeleton({ name }: { name: string }) {
  return (
    <div role="status">
      <h1 className="pt-2 text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">{name}</h1>
      <span className="sr-only">Loading the definition…</span>
      <div aria-hidden>
        <div className="flex h-10 items-center gap-6">
          <span className="skeleton h-3 w-24" />
          <span className="skeleton h-3 w-20" />
          <span className="skeleton h-3 w-40" />
        </div>
        <div className="mb-6 flex h-24 flex-col justify-center gap-3 border-l-2 border-line bg-sunken px-4">
          <span className="skeleton h-3 w-28" />
          <span className="skeleton h-3 w-96 max-w-full" />
        </div>
        <div className="flex flex-col gap-6 border-t border-line py-6 lg:pl-56">
          {rows.map((row) => (
            <span key={row} className="skeleton h-3 w-full" />
          ))}
        </div>
      </div>
    </div>
  );
}
