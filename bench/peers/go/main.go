// A Terraform provider with one resource, to measure ours beside: terdut's dead man's switch on
// terraform-plugin-framework, over net/http, written as such a provider usually is.
//
// Built and run by `cargo xtask bench provider`. It is no product and nothing depends on it.
package main

import (
	"context"
	"log"

	"github.com/hashicorp/terraform-plugin-framework/providerserver"
)

func main() {
	options := providerserver.ServeOpts{Address: "registry.terraform.io/ryuvia/framework"}
	if err := providerserver.Serve(context.Background(), newProvider, options); err != nil {
		log.Fatal(err)
	}
}
