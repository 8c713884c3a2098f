/** Placeholder until a rewrite or a dry run loads, under its title. */
export function WorkSkeleton({ title, label }: { title: string; label: string }) {
  return (
    <div role="status">
      <h1 className="pt-2 text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">{title}</h1>
      <span className="sr-only">{label}</span>
      <div aria-hidden className="flex flex-col gap-6 pt-4">
        <span className="skeleton h-3 w-80 max-w-full" />
        <span className="skeleton h-3 w-full" />
        <span className="skeleton h-3 w-64 max-w-full" />
      </div>
    </div>
  );
}
