/** The API server's refusal: the HTTP status, and reason and message of the Status object where it sent one. */
export class ApiError extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(message: string, status: number, reason: string) {
    super(message);
    this.name = "ApiError";
    this.status = status;
    this.reason = reason;
  }
}

/** Reads the error out of an answer, which may be plain text ("404 page not found"). */
export function apiError(method: string, path: string, status: number, text: string): ApiError {
  const { message, reason } = readStatus(text);
  return new ApiError(`${method} ${path}: ${status} ${message || text.trim()}`, status, reason);
}

function readStatus(text: string): { message: string; reason: string } {
  try {
    const { message, reason } = JSON.parse(text);
    return { message: String(message ?? ""), reason: String(reason ?? "") };
  } catch {
    return { message: "", reason: "" };
  }
}
