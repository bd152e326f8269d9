package main

import (
	"context"
	"os"

	"github.com/hashicorp/terraform-plugin-framework/datasource"
	"github.com/hashicorp/terraform-plugin-framework/provider"
	"github.com/hashicorp/terraform-plugin-framework/provider/schema"
	"github.com/hashicorp/terraform-plugin-framework/resource"
	"github.com/hashicorp/terraform-plugin-framework/types"
)

type terdutProvider struct{}

type providerModel struct {
	URL   types.String `tfsdk:"url"`
	Token types.String `tfsdk:"token"`
}

func newProvider() provider.Provider { return &terdutProvider{} }

func (*terdutProvider) Metadata(_ context.Context, _ provider.MetadataRequest, resp *provider.MetadataResponse) {
	resp.TypeName = "terdut"
}

func (*terdutProvider) Schema(_ context.Context, _ provider.SchemaRequest, resp *provider.SchemaResponse) {
	resp.Schema = schema.Schema{
		Description: "Manages terdut.",
		Attributes: map[string]schema.Attribute{
			"url":   schema.StringAttribute{Optional: true, Description: "Address of the server; TERDUT_URL."},
			"token": schema.StringAttribute{Optional: true, Sensitive: true, Description: "Key; TERDUT_TOKEN."},
		},
	}
}

func (*terdutProvider) Configure(ctx context.Context, req provider.ConfigureRequest, resp *provider.ConfigureResponse) {
	var model providerModel
	resp.Diagnostics.Append(req.Config.Get(ctx, &model)...)
	if resp.Diagnostics.HasError() {
		return
	}
	url, token := model.URL.ValueString(), model.Token.ValueString()
	if url == "" {
		url = os.Getenv("TERDUT_URL")
	}
	if token == "" {
		token = os.Getenv("TERDUT_TOKEN")
	}
	if url == "" || token == "" {
		resp.Diagnostics.AddError("The provider is not configured", "url and token are needed.")
		return
	}
	resp.ResourceData = newClient(url, token)
}

func (*terdutProvider) Resources(context.Context) []func() resource.Resource {
	return []func() resource.Resource{newSwitchResource}
}

func (*terdutProvider) DataSources(context.Context) []func() datasource.DataSource { return nil }
