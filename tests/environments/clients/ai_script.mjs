// What the `ai` SDK gets from a server by its Responses API: `node ai_script.mjs URL`.
//
// It stores nothing itself: each turn refers to the items of earlier ones by their ids.

import assert from "node:assert";
import { createOpenAI } from "@ai-sdk/openai";
import { generateText, stepCountIs, streamText, tool } from "ai";
import { z } from "zod";

const openai = createOpenAI({ baseURL: `${process.argv[2]}/v1`, apiKey: "none" });
const ran = [];
const weather = tool({
  description: "The weather of a city.",
  inputSchema: z.object({ city: z.string() }),
  execute: async ({ city }) => {
    ran.push(city);
    return `rain in ${city}`;
  },
});
const asked = {
  model: openai("scripted"),
  tools: { weather },
  stopWhen: stepCountIs(4),
  maxRetries: 0,
  providerOptions: { openai: { reasoningEffort: "low", forceReasoning: true } },
};
const messages = [{ role: "user", content: "what is the weather?" }];

for (const streams of [false, true]) {
  for (const turn of ["first", "second"]) {
    ran.length = 0;
    let text, response;
    if (streams) {
      const result = streamText({ ...asked, messages, onError: ({ error }) => assert.fail(error) });
      [text, response] = [await result.text, await result.response];
    } else {
      ({ text, response } = await generateText({ ...asked, messages }));
    }
    assert.strictEqual(text, "It is fine.");
    assert.deepStrictEqual(ran.toSorted(), ["Oslo", "Turin"]);
    messages.push(...response.messages, { role: "user", content: "and now?" });
    console.log(`a loop of tools after reasoning, ${turn} turn${streams ? ", streamed" : ""}`);
  }
}
