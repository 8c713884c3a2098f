import type { AcceptedLosses } from "#lib/domain/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";

/** What was accepted: in brief, and as a sentence about what the list of paths doesn't show; null if that is everything. */
export function acceptedWords({ losses, more, unseen, dryRun }: Pick<AcceptedLosses, "losses" | "more" | "unseen" | "dryRun">): {
  brief: string;
  unlisted: string | null;
} {
  const paths = losses.length + more;
  if (!unseen) return { brief: paths > 0 ? formatCountOf(paths, "path") : "no path", unlisted: paths > 0 ? null : "No paths were listed." };
  if (paths > 0) return { brief: `${formatCountOf(paths, "path")} and unseen losses`, unlisted: "Any other loss was accepted unseen." };
  const because = dryRun === null ? "before a dry run could show them" : "because the dry run couldn't show them";
  return { brief: "unseen losses", unlisted: `Losses were accepted unseen, ${because}.` };
}
