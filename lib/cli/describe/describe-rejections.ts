import { oneLine } from "#lib/cli/terminal/printable.ts";
import type { Run } from "#lib/contract/rewrite/run.ts";
import { formatCountOf } from "#lib/domain/wording/format-count.ts";

/** Objects grouped by the server's reason, with its message, their outcome and some of their names; empty without any. */
export function describeRejections(groups: Run["rejections"], became = "rejected"): string {
  return groups
    .map(({ reason, message, count, examples }) => {
      const names = examples.map(objectName);
      const more = count > names.length ? [`and ${formatCountOf(count - names.length, "other")}`] : [];
      return [
        oneLine(`${formatCountOf(count, "object")} ${became}, ${reason}: ${message}`),
        ...[...names, ...more].map((name) => `  ${name}`),
      ].join("\n");
    })
    .join("\n\n");
}

/** An object's name as kubectl writes it in messages. */
export function objectName({ namespace, name }: { namespace: string; name: string }): string {
  return oneLine(namespace ? `${namespace}/${name}` : name);
}
