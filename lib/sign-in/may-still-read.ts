import { authenticate } from "./authenticate.ts";
import { confirmToken } from "./confirm-token.ts";

/** Whether whoever asked may be told more: a session ends, and a token is revoked, while a long answer goes on. */
export async function mayStillRead(request: Request): Promise<boolean> {
  try {
    await confirmToken(authenticate(request));
    return true;
  } catch {
    return false;
  }
}
