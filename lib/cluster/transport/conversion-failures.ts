import { conversionFailureIn } from "#lib/domain/conversion/conversion-failure.ts";
import type { ClusterAnswer } from "./cluster-answer.ts";

/** Whether the answer says that an object can't be converted, in a list, patch or get. */
export function isConversionFailure(answer: ClusterAnswer): boolean {
  return (answer.status === 500 || answer.status === 429) && conversionFailureIn(answer.message) !== null;
}

/**
 * What the API server itself writes after "failed: " if it couldn't call a conversion webhook or can't use its answer. Sources:
 * apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go, client-go/rest/request.go, and of apimachinery
 * api/errors/errors.go (NewGenericServerResponse), runtime/error.go and runtime/serializer/json, all at v0.36.3.
 */
const OWN_WORDS_OF_FAILED_CONVERSION = [
  /Post "|client rate limiter |(unexpected|stream) error when reading response body|Internal error occurred: /,
  /the server (has|is|was|could|rejected|reported|does|responded)|an error on the server |unknown$|0-length response |serializer for /,
  /couldn't get version\/kind|Object 'Kind' is missing|no kind "|no version "|unable to decode |converting \(|json: |strict decoding error|yaml: /,
  /expected webhook response of |no response provided|expected response\.uid=|response\.result\.status was '|unrecognized response type: /,
];
const OWN_WORDS = new RegExp(`^(${OWN_WORDS_OF_FAILED_CONVERSION.map(({ source }) => source).join("|")})`);

/**
 * Whether a conversion webhook itself refused the object: it gave a valid answer, a failure with a message, which the API server passes
 * on. A webhook that can't be reached, gives an invalid answer or changes what it must not is broken for every object.
 */
export function isConversionRefusal(answer: ClusterAnswer): boolean {
  const words = isConversionFailure(answer) ? /conversion webhook for \S+, Kind=\S+ failed: (.*)/s.exec(answer.message)?.[1] : undefined;
  return words !== undefined && !OWN_WORDS.test(words);
}
