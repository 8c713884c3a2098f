import { authenticate } from "./authenticate.ts";
import { confirmToken } from "./confirm-token.ts";

/** Why whoever asked may be told no more, null while they may: a session ends, and a token is revoked, while a long answer goes on. */
export async function endOfReading(request: Request): Promise<unknown> {
  try {
    await confirmToken(authenticate(request));
    return null;
  } catch (error) {
    return error;
  }
}
