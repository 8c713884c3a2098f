import type { EventData, ServerEvent } from "#lib/contract/events.ts";

/** How up to date a fleet is: as of when, and if it is stale, since when and why. */
export interface FleetStatus extends EventData<"status"> {
  resourceVersion: string;
  asOf: string;
}

export interface FleetStatusKeeper {
  current(): FleetStatus;
  /** The cluster sent data at this resourceVersion. */
  heard(resourceVersion: string): void;
  fresh(): void;
  stale(message: string, denied: boolean): void;
}

/** Keeps a fleet's status, and sends each change once. */
export function keepStatus(emit: (event: ServerEvent) => void): FleetStatusKeeper {
  let status: FleetStatus = {
    stale: false,
    denied: false,
    since: null,
    message: null,
    resourceVersion: "",
    asOf: new Date().toISOString(),
  };
  const set = (next: Pick<FleetStatus, "stale" | "denied" | "since" | "message" | "asOf">) => {
    const changed = status.stale !== next.stale || status.message !== next.message;
    status = { ...status, ...next };
    const { stale, denied, since, message } = next;
    if (changed) emit({ event: "status", data: { stale, denied, since, message } });
  };
  return {
    current: () => status,
    heard(resourceVersion) {
      status = { ...status, resourceVersion, asOf: new Date().toISOString() };
    },
    fresh: () => set({ stale: false, denied: false, since: null, message: null, asOf: new Date().toISOString() }),
    stale: (message, denied) => set({ stale: true, denied, since: status.since ?? new Date().toISOString(), message, asOf: status.asOf }),
  };
}
