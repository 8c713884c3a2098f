import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { workerCluster } from "#lib/local-cluster/testing/worker-cluster.ts";
import { serverArguments } from "#lib/server/bootstrap/start.mjs";
import { readEnv } from "#lib/settings/env.ts";
import { isReadOnly, modeOf } from "#lib/sign-in/mode.ts";
import { chart, type Helm, openHelm } from "./helm.ts";
import { manifests, renderManifests } from "./render-manifests.ts";
import { type Kubectl, openKubectl } from "./testing/kubectl.ts";
import { environmentOf, findRendered, podOf, type Rendered, readRendered } from "./testing/start-as-in-pod.ts";
import { readDockerfile } from "./testing/start-image.ts";

const cluster = workerCluster();
const namespace = `crdshift-${randomBytes(4).toString("hex")}`;
let helm: Helm;
let kubectl: Kubectl;

beforeAll(async () => {
  helm = await openHelm();
  kubectl = await openKubectl(cluster);
  const labels = { "pod-security.kubernetes.io/enforce": "restricted", "pod-security.kubernetes.io/enforce-version": "latest" };
  kubectl(["create", "--filename", "-"], [{ apiVersion: "v1", kind: "Namespace", metadata: { name: namespace, labels } }]);
});

const image = "registry.example.com/crdshift:0.1.0";
const groups = [
  { name: "stable.example.com", resources: ["crontabs", "widgets"] },
  { name: "example.org", resources: ["shirts"] },
];
const alice = { kind: "ServiceAccount", name: "alice", namespace: "default" };
const bob = { kind: "User", name: "bob@example.com" };
const [key, nextKey] = [Buffer.alloc(32, "a").toString("base64"), Buffer.alloc(32, "b").toString("base64")];
const unsafe = { image, mode: "unsafe-shared-readonly", acceptUnsafe: true };

/** Sets of values under which every template and every branch is rendered. */
const variants: [name: string, values: object][] = [
  ["the least", { image }],
  [
    "everything that can be set",
    {
      ...{
        image,
        imagePullPolicy: "Always",
        imagePullSecrets: ["pull"],
        readOnly: true,
        protected: ["*.example.org"],
        metrics: true,
        settleSeconds: 2.5,
        host: "::",
      },
      ...{ origins: ["https://crdshift.example.com", "https://crds.example.com:8443"], tokenHeader: "X-Forwarded-Access-Token" },
      session: { keys: `${key},${nextKey}` },
      roles: { groups, viewers: [bob, { kind: "Group", name: "everybody" }], migrators: [alice] },
      networkPolicy: {
        ingressFrom: [
          { namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "ingress" } } },
          { ipBlock: { cidr: "10.1.0.0/16" } },
        ],
        egress: { apiServerPorts: [6443], apiServerCIDRs: ["10.0.0.1/32"], dns: false },
      },
      ...{ resources: {}, nodeSelector: { "kubernetes.io/os": "linux" }, tolerations: [{ key: "dashboards", operator: "Exists" }] },
    },
  ],
  ["as little as possible", { image, session: { existingSecret: "mine" }, roles: { create: false }, networkPolicy: { enabled: false } }],
  ["unsafe-shared-readonly", { ...unsafe, roles: { groups } }],
];

const render = (values: object): Rendered[] => readRendered(helm.template(values, namespace));
const dryRun = (documents: object[]) =>
  kubectl(["create", "--dry-run=server", "--validate=strict", "--output", "name", "--filename", "-"], documents).trim().split("\n");

describe.each(variants)("the chart with %s", (_, values) => {
  test("passes helm lint, and the API server takes each of its templates", () => {
    helm.run(["lint", chart, "--strict", "--kube-version", "1.36.0", "--values", "-"], values);
    const documents = render(values);
    expect(documents.length).toBeGreaterThan(3);
    expect(dryRun(documents)).toHaveLength(documents.length);
  });

  test("has a pod that a namespace under the restricted Pod Security Standard takes, and not without each of its restrictions", () => {
    const documents = render(values);
    kubectl(["create", "--filename", "-"], [findRendered(documents, "ServiceAccount")]);
    onTestFinished(() => void kubectl(["delete", "serviceaccount", "crdshift", "--namespace", namespace]));
    const { pod, container } = podOf(documents);
    const create = (spec: object, args: string[] = []) =>
      kubectl(["create", ...args, "--filename", "-"], [{ apiVersion: "v1", kind: "Pod", metadata: { name: "crdshift", namespace }, spec }]);
    expect(create(pod)).toContain("pod/crdshift created");
    kubectl(["delete", "pod", "crdshift", "--namespace", namespace, "--wait=false", "--force", "--grace-period=0"]);

    const { seccompProfile: _seccomp, ...podContext } = pod.securityContext as { seccompProfile: object };
    expect(() => create({ ...pod, securityContext: podContext }, ["--dry-run=server"])).toThrow(
      /violates PodSecurity "restricted:latest": seccompProfile/,
    );
    expect(() => create({ ...pod, containers: [{ ...container, securityContext: {} }] }, ["--dry-run=server"])).toThrow(
      /violates PodSecurity "restricted:latest": allowPrivilegeEscalation.*capabilities/s,
    );
    expect(container.securityContext).toMatchObject({ readOnlyRootFilesystem: true });
  });

  test("gives the process an environment that it takes", () => {
    const { env: ofImage } = readDockerfile();
    const isExisting = values === variants[2]?.[1];
    const secret: Rendered = {
      apiVersion: "v1",
      kind: "Secret",
      metadata: { name: "mine" },
      data: { keys: Buffer.from(key).toString("base64") },
    };
    const variables = environmentOf([...render(values), ...(isExisting ? [secret] : [])]);
    const env = readEnv({ ...ofImage, ...variables, KUBERNETES_SERVICE_HOST: "10.0.0.1" });
    const isToken = modeOf(env) === "token";
    expect(env.CRDSHIFT_SESSION_KEYS.length > 0).toBe(isToken);
    expect(env.CRDSHIFT_CLUSTER_CA).toBe(isToken ? "/var/run/crdshift/ca.crt" : "");
    expect(isReadOnly(env)).toBe("readOnly" in values || !isToken);
    expect(podOf(render(values)).pod.automountServiceAccountToken).toBe(!isToken);
  });
});

test("what the API server does not know is refused by the dry run that takes the templates", () => {
  const service = findRendered(render({ image }), "Service");
  expect(() => dryRun([{ ...service, spec: { ...service.spec, sessionAfinity: "None" } }])).toThrow(/unknown field "spec.sessionAfinity"/);
});

test.each([
  [{}, /image is not set: build one with deploy\/Dockerfile/],
  [{ ...unsafe, acceptUnsafe: false }, /Set acceptUnsafe=true if that is what you want, or mode=token/],
  [{ image, mode: "local" }, /value must be one of 'token', 'unsafe-shared-readonly'/],
  [{ ...unsafe, tokenHeader: "x-token" }, /tokenHeader works only with mode=token/],
  [{ image, session: { existingSecret: "mine", keys: key } }, /both set: keep one/],
  [{ image, session: { keys: "short" } }, /does not match pattern/],
  [{ image, origins: ["http://crdshift.example.com"] }, /does not match pattern/],
  [{ image, roles: { groups: [{ name: "*", resources: ["crontabs"] }] } }, /"\*" is not the group of a definition/],
  [{ image, roles: { groups: [{ name: "*.example.com", resources: ["crontabs"] }] } }, /there is no "\*"/],
  [{ image, roles: { groups: [{ name: "stable.example.com", resources: ["*"] }] } }, /Name resources one by one/],
  [{ image, roles: { groups: [{ name: "stable.example.com", resources: ["crontabs/scale"] }] } }, /is not the plural name of a resource/],
  [{ image, roles: { groups: [{ name: "apps", resources: ["deployments"] }] } }, /"apps" is not the group of a definition/],
  [{ image, roles: { groups: [{ name: "", resources: ["secrets"] }] } }, /"" is not the group of a definition/],
  [{ image, roles: { groups: [{ name: "rbac.authorization.k8s.io", resources: ["clusterroles"] }] } }, /a group of Kubernetes itself/],
  [{ image, roles: { create: false, viewers: [bob] } }, /set roles.create=true/],
  [{ image, roles: { migrators: [{ kind: "ServiceAccount", name: "alice" }] } }, /needs its namespace/],
  [{ image, replicas: 2 }, /additional properties 'replicas' not allowed/],
])("%j is refused with what to do", (values, message) => {
  expect(() => helm.template(values, namespace)).toThrow(message);
});

// Names can carry data out: whoever runs a name server gets what is asked of it.
test("the pod may ask the cluster's own DNS alone, or the peers that are named", () => {
  const dnsRule = (egress: object) => {
    const { spec } = findRendered(render({ image, networkPolicy: { egress } }), "NetworkPolicy");
    const rules = (spec as { egress: { ports: { port: number }[]; to?: object[] }[] }).egress;
    return rules.find(({ ports }) => ports.some(({ port }) => port === 53));
  };
  expect(dnsRule({})?.to).toEqual([
    {
      namespaceSelector: { matchLabels: { "kubernetes.io/metadata.name": "kube-system" } },
      podSelector: { matchLabels: { "k8s-app": "kube-dns" } },
    },
  ]);
  const nodeCache = [{ ipBlock: { cidr: "169.254.20.10/32" } }];
  expect(dnsRule({ dnsServers: nodeCache })?.to).toEqual(nodeCache);
  expect(dnsRule({ dns: false })).toBeUndefined();
  expect(() => dnsRule({ dnsServers: [] })).toThrow("dnsServers");
});

describe("the roles", () => {
  const rulesOf = (documents: Rendered[], name: string) => findRendered(documents, "ClusterRole", name).rules ?? [];

  test("name every group, resource and verb, and write to no definition but those of the chosen resources", () => {
    for (const [, values] of variants) {
      for (const { kind, rules = [] } of render(values)) {
        if (kind !== "ClusterRole") continue;
        for (const { apiGroups = [], resources = [], nonResourceURLs = [], resourceNames, verbs } of rules) {
          expect([...apiGroups, ...resources, ...nonResourceURLs, ...verbs].join(" ")).not.toContain("*");
          if (apiGroups.includes("apiextensions.k8s.io") && verbs.includes("patch")) {
            expect(resourceNames).toEqual(["crontabs.stable.example.com", "widgets.stable.example.com", "shirts.example.org"]);
          }
        }
      }
    }
  });

  test("without a group neither reads an object, and no one may patch anything", () => {
    const documents = render({ image });
    for (const role of ["crdshift-viewer", "crdshift-migrator"]) {
      const rules = rulesOf(documents, role);
      expect(rules.flatMap(({ verbs }) => verbs)).not.toContain("patch");
      expect(rules.flatMap(({ apiGroups = [] }) => apiGroups).filter((group) => !group.endsWith(".k8s.io"))).toEqual([]);
    }
  });

  test("the pod has none of its own in token mode, and in unsafe-shared-readonly one to read", () => {
    const bindings = (values: object) => render(values).filter(({ kind }) => kind.endsWith("Binding"));
    expect(bindings({ image, roles: { groups } })).toEqual([]);
    expect(bindings({ ...unsafe, roles: { groups } })).toMatchObject([
      { roleRef: { name: "crdshift-unsafe-reader" }, subjects: [{ kind: "ServiceAccount", name: "crdshift", namespace }] },
    ]);
    expect(rulesOf(render({ ...unsafe, roles: { groups } }), "crdshift-unsafe-reader").flatMap(({ verbs }) => verbs)).toEqual([
      "get",
      "list",
      "watch",
      "get",
      "list",
      "get",
      "list",
    ]);
  });
});

describe("the notes after the install", () => {
  // As helm install prints them, and nothing is made.
  const notesOf = (values: object) => {
    const release = helm.run(
      ["install", "crdshift", chart, "--dry-run=server", "--namespace", namespace, "--kubeconfig", cluster.kubeconfig, "--values", "-"],
      values,
    );
    return release.slice(release.indexOf("NOTES:"));
  };

  test("name no ClusterRole but those that the release made", () => {
    for (const [, values] of [...variants, ["unsafe without roles", { ...unsafe, roles: { create: false } }] as const]) {
      const notes = notesOf(values);
      expect(notes).toContain("Reach it:");
      const made = render(values).flatMap(({ kind, metadata }) => (kind === "ClusterRole" ? [metadata.name] : []));
      const named = notes.match(/\bcrdshift-(viewer|migrator|unsafe-reader)[\w-]*/g) ?? [];
      expect(made).toEqual(expect.arrayContaining(named));
    }
  });

  test("say where permissions come from when it made none, and how a token is made", () => {
    const notes = notesOf({ image, roles: { create: false } });
    expect(notes).toMatch(/made no ClusterRole\n\(roles\.create=false\).*"Who may do what"/);
    expect(notes).toContain(`kubectl --namespace ${namespace} create token SERVICE_ACCOUNT --duration=8h`);
    expect(notesOf({ image, roles: { groups } })).not.toContain("made no ClusterRole");
  });
});

test("helm install makes a session key, helm upgrade keeps it, and helm template makes another one each time", () => {
  const args = ["--namespace", namespace, "--kubeconfig", cluster.kubeconfig, "--values", "-"];
  const session = () => JSON.parse(kubectl(["get", "secret", "crdshift-session", "--namespace", namespace, "--output", "json"])).data;
  const notes = helm.run(["install", "crdshift", chart, ...args], { image, roles: { groups } });
  try {
    expect(notes).toContain(`kubectl --namespace ${namespace} port-forward service/crdshift 3000:3000`);
    expect(notes).toContain(`--clusterrole=crdshift-migrator --serviceaccount=${namespace}:alice`);
    expect(notes).toContain(`kubectl --namespace ${namespace} create token alice --duration=8h`);
    const made = session();
    expect(Buffer.from(Buffer.from(made.keys, "base64").toString("utf8"), "base64")).toHaveLength(32);
    expect(Buffer.from(made.instance, "base64").toString("utf8")).toMatch(/^[a-z0-9]{8}$/);

    helm.run(["upgrade", "crdshift", chart, ...args], { image: `${image}-next`, roles: { groups } });
    expect(session()).toEqual(made);
    expect(kubectl(["get", "deployment", "crdshift", "--namespace", namespace, "--output", "jsonpath={..image}"])).toBe(`${image}-next`);

    // A key of one's own takes its place, with a new start.
    helm.run(["upgrade", "crdshift", chart, ...args], { image, session: { keys: key } });
    expect(session()).toEqual({ ...made, keys: Buffer.from(key).toString("base64") });
    expect(kubectl(["get", "deployment", "crdshift", "--namespace", namespace, "--output", "yaml"])).toContain(
      "crdshift.dev/session-keys:",
    );
  } finally {
    helm.run(["uninstall", "crdshift", "--namespace", namespace, "--kubeconfig", cluster.kubeconfig]);
  }
  const rendered = () => findRendered(render({ image }), "Secret").data?.keys;
  expect(rendered()).not.toBe(rendered());
});

test("image and chart agree on user, port, command and the time that ending takes", () => {
  const { user, port, entrypoint, env } = readDockerfile();
  const { pod, container } = podOf(render({ image }));
  expect(pod.securityContext).toMatchObject({ runAsUser: 65532, runAsGroup: 65532, runAsNonRoot: true });
  expect(user).toBe("65532:65532");
  expect(container.ports).toEqual([{ name: "http", containerPort: port }]);
  expect(env.PORT).toBe(String(port));
  expect(entrypoint).toEqual(["node", ...serverArguments]);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(15);
});

test("the plain manifests are what the chart renders, and kubectl applies them as they lie there", async () => {
  const { folder } = manifests;
  const written = readdirSync(folder).filter((file) => file !== "00-namespace.yaml");
  const files = new Map(written.map((file) => [file, readFileSync(path.join(folder, file), "utf8")]));
  expect(files, "run npm run manifests").toEqual(await renderManifests(helm));
  const applied = kubectl(["apply", "--validate=strict", "--filename", folder]);
  try {
    expect(applied).toMatch(/^namespace\/crdshift created/);
    expect(applied.match(/ created$/gm)).toHaveLength(readRendered([...files.values()].join("---\n")).length + 1);
  } finally {
    kubectl(["delete", "--wait=false", "--filename", folder]);
  }
});
