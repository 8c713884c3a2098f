import { perDefinition } from "./per-definition.ts";

/** How many cleanings, of whomever, have changed objects of a definition. */
export const endedCleanings = perDefinition<number>("ended-cleanings");
