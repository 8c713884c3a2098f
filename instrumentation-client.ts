import { z } from "zod";

// Runs before any other code in the browser. zod compiles parsers with `new Function` where it can, and the strict
// Content-Security-Policy reports even the attempt.
z.config({ jitless: true });
