import type { ReactNode } from "react";
import { Fact } from "#components/ui/fact.tsx";
import { Time } from "#components/ui/time.tsx";
import { userOrUnknown } from "./names.tsx";

interface Props {
  /** "Rewrite" or "Dry run". */
  what: string;
  plural: string;
  run: { storageVersion: string; startedAt: string; startedBy: string | null };
  phase: ReactNode;
  /** More facts, after who started it and when. */
  children: ReactNode;
  /** The commands available now. */
  commands: ReactNode;
}

/** The heading of a rewrite or a dry run: its version, its phase, who started it and when, and its commands. */
export function RunHeading({ what, plural, run, phase, children, commands }: Props) {
  const user = userOrUnknown(run.startedBy);
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-8 gap-y-3 pt-2 pb-6">
      <div className="min-w-0">
        <h1 className="text-xl font-semibold tracking-tight [overflow-wrap:anywhere]">
          {what} of {plural} to <span className="font-mono">{run.storageVersion}</span>
        </h1>
        <dl className="flex flex-wrap items-baseline gap-x-6 gap-y-1 pt-2">
          <div>
            <dt className="sr-only">Phase</dt>
            <dd>{phase}</dd>
          </div>
          <Fact name="Started">
            <Time at={run.startedAt} seconds /> by <span title={user}>{user}</span>
          </Fact>
          {children}
        </dl>
      </div>
      {commands}
    </div>
  );
}

/** A placeholder for the heading and what is below it, until the rewrite or dry run loads. */
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
