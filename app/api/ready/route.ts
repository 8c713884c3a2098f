import { AppError } from "#lib/contract/app-error.ts";
import { json, publicRoute } from "#lib/http/signed-in-route.ts";
import { errorDetail, logProblem } from "#lib/process-wide/log-problem.ts";
import { askDefaultCluster } from "#lib/sign-in/sign-in.ts";

export const dynamic = "force-dynamic";

/** Whether the default cluster answers. If not, only the log says why, since the caller isn't signed in. */
export const GET = publicRoute(async ({ request }) => {
  try {
    await askDefaultCluster(request.signal);
  } catch (error) {
    // Who hangs up learns nothing, and fills no log.
    if (!request.signal.aborted) logProblem("warn", { message: "The default cluster does not answer.", detail: errorDetail(error) });
    throw new AppError("cluster_unreachable", "The default cluster does not answer.", { nextStep: "See crdshift's log for the reason." });
  }
  return json({ status: "ok" });
});
