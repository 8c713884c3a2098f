import packageJson from "#package.json" with { type: "json" };

/** As the API server's audit log and the records of runs name it. */
export const crdshiftVersion: string = packageJson.version;
