// What the contracts share: JSON as it comes, the names of the contracts, and counts of tokens.

export type JsonValue = null | boolean | number | string | JsonValue[] | {[key: string]: JsonValue};
export type JsonObject = {[key: string]: JsonValue};

export type ContractName = 'steps' | 'runs' | 'chat' | 'conversation' | 'tasks';

/** What the model reported; in steps and runs. */
export interface TokenUsage {
  input_tokens: number;
  output_tokens: number;
  total_tokens: number;
}

/** ISO 8601 in UTC, with a `Z` at the end. */
export type Timestamp = string;
