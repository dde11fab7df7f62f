// Requests to the server, and the data that every page needs.

/** The address of an API call; parameters that are empty are left out. */
export function address(path, params = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(params)) {
    if (value !== undefined && value !== null && value !== '') query.set(name, String(value));
  }
  const text = query.toString();
  return text ? `${path}?${text}` : path;
}

/** The JSON of an API call. The error's message is the server's. */
export async function get(path, params, signal) {
  const response = await fetch(address(path, params), { signal });
  let body;
  try {
    body = await response.json();
  } catch {
    throw new Error(`the server answered ${response.status} without JSON`);
  }
  if (!response.ok) throw new Error(body.error ?? `the server answered ${response.status}`);
  return body;
}

let rules;
/** The games by name: boards, pieces, starts. */
export function loadRules() {
  rules ??= get('/api/rules').then((all) => new Map(all.map((game) => [game.rules, game])));
  return rules;
}

export const isAbort = (error) => error?.name === 'AbortError';
