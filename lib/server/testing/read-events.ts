import { type EventName, eventSchemas, type ServerEvent } from "#lib/contract/events.ts";
import { askDashboard } from "./ask-dashboard.ts";

/** The events of a dashboard's stream until it ends; throws if the answer isn't one. */
export async function* readEvents(url: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const response = await askDashboard(url, { signal });
  if (!response.ok || !response.body) throw new Error(`${response.status} ${await response.text()}`);
  let rest = "";
  for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
    const frames = (rest + chunk).split("\n\n");
    rest = frames.pop() ?? "";
    for (const frame of frames) {
      const [, name, data] = /^event: (\w+)\ndata: (.*)$/.exec(frame) ?? [];
      if (data) yield parseEvent(name ?? "", JSON.parse(data));
    }
  }
}

function parseEvent(name: string, data: unknown): ServerEvent {
  if (!isEventName(name)) throw new Error(`There is no event ${name}.`);
  // The schema looked up by name parses that name's data.
  return { event: name, data: eventSchemas[name].parse(data) } as ServerEvent;
}

function isEventName(name: string): name is EventName {
  return Object.hasOwn(eventSchemas, name);
}
