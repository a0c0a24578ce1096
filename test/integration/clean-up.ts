import { afterEach } from 'vitest'
import { type Fixture, startFixture } from '../fixtures/process/fixture.ts'

const cleanUps: (() => unknown)[] = []

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** Runs after the test, last registered first. */
export function cleanUp<Resource>(resource: Resource, end: (resource: Resource) => unknown): Resource {
  cleanUps.push(() => end(resource))
  return resource
}

/** Something that ends with `stop`. */
export async function stopped<Resource extends { stop(): Promise<unknown> }>(
  starting: Promise<Resource>,
): Promise<Resource> {
  return cleanUp(await starting, (resource) => resource.stop())
}

export async function closed<Resource extends { close(): unknown }>(
  starting: Resource | Promise<Resource>,
): Promise<Resource> {
  return cleanUp(await starting, (resource) => resource.close())
}

/** A fixture process of `test/fixtures`. */
export function fixture<Info = { url: string }>(script: string, ...args: string[]): Promise<Fixture<Info>> {
  return stopped(startFixture<Info>(new URL(`../fixtures/${script}`, import.meta.url), args))
}
