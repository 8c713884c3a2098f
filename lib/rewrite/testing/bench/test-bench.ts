import type { Connection } from "#lib/cluster/connection/connection.ts";
import type { StartRewrite } from "#lib/contract/rewrite/run.ts";
import type { DryRun } from "#lib/domain/losses/dry-run.ts";
import type { Run } from "#lib/domain/rewrite/run.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import type { SampleConversion, SampleDefinition, SampleVersion } from "#lib/local-cluster/sample-definition.ts";
import type { TestCluster } from "#lib/local-cluster/testing/vitest-global-setup.ts";
/** The API server that integration tests share, with their common operations. */
export interface TestBench {
  cluster: TestCluster;
  api: ApiClient;
  connection: Connection;
  /** Creates a definition that is removed at the end of the test. */
  define(versions: SampleVersion[], conversion?: SampleConversion): Promise<SampleDefinition>;
  /** Changes the versions, and returns once the API server stores at the new storage version. */
  flip(definition: SampleDefinition, versions: SampleVersion[], conversion?: SampleConversion): Promise<void>;
  /** A definition whose objects were created at v1beta1 before v1 became the storage version. */
  stale(count: number, options?: StaleOptions): Promise<SampleDefinition>;
  /** An unforced server-side apply. */
  apply(definition: SampleDefinition, version: string, name: string, manager: string, spec: object): Promise<unknown>;
  /** Makes a dry run; resolves once it has ended and, if it succeeded, is in the definition's record. */
  dryRun(definition: SampleDefinition, options?: { sampleSize?: number }): Promise<DryRun>;
  start(definition: SampleDefinition, options?: StartRewrite): Promise<Run>;
  run(definition: SampleDefinition, id: string): Promise<Run>;
  /** Resolves once the run has rewritten at least this many objects. */
  rewritten(definition: SampleDefinition, id: string, objects: number): Promise<void>;
  /** The run once it has ended. */
  endOf(definition: SampleDefinition, id: string): Promise<Run>;
  /** A rewrite from its start to its end. */
  rewrite(definition: SampleDefinition, options?: StartRewrite): Promise<Run>;
  /** The number of patches of its objects that the API server has answered, without dry runs. */
  patchesOf(definition: SampleDefinition): Promise<number>;
  /** The number of its objects in etcd at each version. */
  storedAs(definition: SampleDefinition): Promise<Record<string, number>>;
}

export interface StaleOptions {
  spec?: (index: number) => object;
  conversion?: SampleConversion;
  /** The versions while the objects are created at v1beta1, and the versions after that. */
  versions?: { before: SampleVersion[]; after: SampleVersion[] };
}
