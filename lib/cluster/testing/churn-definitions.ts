import { sleep } from "#lib/async/sleep.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { createDefinition, type SampleDefinition, type SampleVersion } from "#lib/local-cluster/sample-definition.ts";

const DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
/** More than a page of the fleet's list. */
const FEWEST = 55;
const MOST = 75;
const PAUSE_MS = 150;

/** Definitions that come, change and go all the time, by another client's hand. */
export interface Churn {
  /** Changes made so far. */
  changes(): number;
  /** Resolves once none is under way; there are none until `resume`. Throws what made it end. */
  pause(): Promise<void>;
  resume(): void;
  /** The generation that each definition, unless it was deleted since, had at least at that time (of performance.now()). */
  generationsAt(time: number): ReadonlyMap<string, number>;
}

interface Living {
  definition: SampleDefinition;
  storage: string;
}

/** Begins with 55 definitions; what happens to which is the random numbers' choice. Ends with the signal. */
export async function churnDefinitions(api: ApiClient, random: () => number, signal: AbortSignal): Promise<Churn> {
  const living: Living[] = [];
  const generations = new Map<string, { at: number; generation: number }[]>();
  let changes = 0;
  let underWay: Promise<void> = Promise.resolve();
  let paused: PromiseWithResolvers<void> | null = null;

  const note = async ({ name, read }: SampleDefinition) => {
    const { metadata } = await read();
    const known = generations.get(name) ?? [];
    generations.set(name, [...known, { at: performance.now(), generation: metadata.generation }]);
  };
  const create = async () => {
    const storage = random() < 0.5 ? "v1" : "v1beta1";
    const definition = await createDefinition(api, versions(storage, false));
    await note(definition);
    living.push({ definition, storage });
  };
  const remove = async (index: number) => {
    const [gone] = living.splice(index, 1);
    generations.delete(gone?.definition.name ?? "");
    await gone?.definition.remove();
  };
  const change = async () => {
    const index = Math.floor(random() * living.length);
    const one = living[index];
    const dice = random();
    if (!one || living.length < FEWEST || (dice < 0.1 && living.length < MOST)) return create();
    if (dice < 0.2 && living.length > FEWEST) return remove(index);
    const path = `${DEFINITIONS}/${one.definition.name}`;
    if (dice < 0.4) return void (await api.mergePatch(path, { metadata: { labels: { touched: String(changes) } } }));
    if (dice < 0.7) {
      const storedVersions = random() < 0.5 ? [one.storage] : ["v1", "v1beta1"];
      return void (await api.mergePatch(path, { status: { storedVersions } }, { subresource: "status" }));
    }
    one.storage = random() < 0.5 ? "v1" : "v1beta1";
    await one.definition.setVersions(versions(one.storage, random() < 0.5));
    await note(one.definition);
  };
  const churn = async () => {
    for (;;) {
      await paused?.promise;
      underWay = change();
      await underWay;
      changes += 1;
      await sleep(PAUSE_MS, signal);
    }
  };

  while (living.length < FEWEST) await Promise.all(Array.from({ length: 5 }, create));
  // What ends it before the signal, `pause` throws.
  churn().catch((error: unknown) => {
    underWay = Promise.reject(error);
    underWay.catch(() => {});
  });
  return {
    changes: () => changes,
    async pause() {
      paused = Promise.withResolvers();
      await underWay;
    },
    resume() {
      paused?.resolve();
      paused = null;
    },
    generationsAt(time) {
      const then = [...generations].map(([name, all]) => [name, all.findLast(({ at }) => at <= time)?.generation ?? 0] as const);
      return new Map(then.filter(([, generation]) => generation > 0));
    },
  };
}

function versions(storage: string, deprecated: boolean): SampleVersion[] {
  return [
    { name: "v1", storage: storage === "v1" },
    { name: "v1beta1", storage: storage === "v1beta1", deprecated },
  ];
}
