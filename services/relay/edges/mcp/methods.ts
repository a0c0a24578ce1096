/** The methods that a route serves, as Allow has them. */
export const METHODS = 'GET, POST, DELETE, OPTIONS'
