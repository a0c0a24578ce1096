/** How many processes each principal may have for its sessions and listens, over all scopes. */
export class ProcessQuota {
  limit: number
  readonly #running = new Map<string, number>()

  constructor(limit: number) {
    this.limit = limit
  }

  isFull(principal: string): boolean {
    return (this.#running.get(principal) ?? 0) >= this.limit
  }

  /** A process that ends counts until it is gone: `release`, once. */
  take(principal: string): { release(): void } {
    this.#running.set(principal, (this.#running.get(principal) ?? 0) + 1)
    return {
      release: () => {
        const left = (this.#running.get(principal) ?? 1) - 1
        if (left === 0) this.#running.delete(principal)
        else this.#running.set(principal, left)
      },
    }
  }
}
