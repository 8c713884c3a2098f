/** The versions that the go.mod files in go/ pin; a test keeps them equal. */
export const binaryVersions = { kubernetes: "1.36.3", etcd: "3.7.3", helm: "3.22.0" };
