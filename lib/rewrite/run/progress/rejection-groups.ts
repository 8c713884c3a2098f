import type { ObjectName, RejectionGroup } from "#lib/domain/rewrite/run.ts";

/** Rejected objects by cause, bounded for any number of causes and any length of message. */
export interface RejectionGroups {
  add(object: ObjectName, refusal: { reason: string; message: string }): void;
  /** Groups of a later pass replace those of the same cause. */
  take(groups: readonly RejectionGroup[]): void;
  list(): RejectionGroup[];
}

const MAX_GROUPS = 20;
const MAX_EXAMPLES = 10;
const MAX_MESSAGE = 1_000;

export function createRejectionGroups(): RejectionGroups {
  const groups = new Map<string, RejectionGroup>();
  return {
    add(object, { reason, message }) {
      // Messages contain the object's name; without it, each cause is one group.
      const key = `${reason}\n${message.replaceAll(wholeWord(object.name), "…")}`;
      const full = groups.size >= MAX_GROUPS && !groups.has(key);
      const slot = full ? "other" : key;
      const fresh = { reason: full ? "Other" : reason, message: message.slice(0, MAX_MESSAGE), count: 0, examples: [] };
      const group: RejectionGroup = groups.get(slot) ?? fresh;
      group.count += 1;
      if (group.examples.length < MAX_EXAMPLES) group.examples.push({ namespace: object.namespace, name: object.name });
      groups.set(slot, group);
    },
    take(later) {
      for (const group of later) groups.set(`${group.reason}\n${group.message}`, group);
    },
    list: () => [...groups.values()],
  };
}

// Not the "web" of "webhook".
function wholeWord(name: string): RegExp {
  return new RegExp(`(?<![\\w.-])${name.replaceAll(/[^\w-]/g, "\\$&")}(?![\\w-])`, "g");
}
