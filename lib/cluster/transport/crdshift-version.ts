import packageJson from "#package.json" with { type: "json" };

/** The version shown in the API server's audit log and in the records of runs. */
export const crdshiftVersion: string = packageJson.version;
