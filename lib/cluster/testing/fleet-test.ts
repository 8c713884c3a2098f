import { onTestFinished } from "vitest";
import { connect } from "#lib/cluster/connection/connect.ts";
import type { Connection } from "#lib/cluster/connection/connection.ts";
import { fleetOf } from "#lib/cluster/fleet/fleet-of.ts";
import type { ApiClient } from "#lib/local-cluster/api-client.ts";
import { createDefinition, type SampleDefinition } from "#lib/local-cluster/sample-definition.ts";
import type { TestCluster } from "#lib/local-cluster/testing/vitest-global-setup.ts";
import { chooseContexts } from "./choose-contexts.ts";
import { tcpProxy } from "./tcp-proxy.ts";

/** What one fleet has seen every other of the process knows: one that lived on would tell it to later tests. */
export function untilFinished(connection: Connection): Connection {
  onTestFinished(() => fleetOf(connection).stop());
  return connection;
}

/** Connections to a cluster whose fleets end with the test, and definitions to look at. */
export function fleetTest(cluster: TestCluster, api: ApiClient) {
  return {
    async directly(): Promise<Connection> {
      await chooseContexts(cluster, { name: "directly" });
      return untilFinished(await connect("directly"));
    },
    async throughProxy() {
      const proxy = await tcpProxy(cluster.server);
      await chooseContexts(cluster, { name: "proxied", server: proxy.server });
      return { proxy, connection: untilFinished(await connect("proxied")) };
    },
    async definitionWithObjects(count: number): Promise<SampleDefinition> {
      const definition = await createDefinition(api, [{ name: "v1", storage: true }, { name: "v1beta1" }]);
      onTestFinished(() => definition.remove());
      await definition.createObjects("v1", count);
      return definition;
    },
  };
}
