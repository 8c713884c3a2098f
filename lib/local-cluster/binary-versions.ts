/** The versions that go/kubernetes/go.mod and go/etcd/go.mod pin; a test keeps them equal. */
export const binaryVersions = { kubernetes: "1.36.3", etcd: "3.7.3" };
