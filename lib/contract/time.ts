import { z } from "zod";

/** A moment as RFC 3339 text. */
export const time = z.string();
